import { type LocalAgent, type SessionState, TurnkeepError } from "turnkeep";
import { createHandler } from "turnkeep/http";
import { createReflection, TraceStore } from "turnkeep/reflection";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROUTES } from "../../../src/http/routes.ts";
import { ROUTES as STUDIO_ROUTES } from "../../../src/reflection/routes.ts";
import { echoAgent } from "../../agent/agents.ts";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { rawSocket } from "../raw-request.ts";
import { served, WIDE } from "../serving.ts";
import { type HostileRequest, HostileRequests, type Target } from "./hostile-request.ts";

const REQUESTS = Number(process.env["TURNKEEP_HOSTILE"] ?? 2000);
const SEED = chooseSeed(process.env["TURNKEEP_SEED"]);
const AT_ONCE = 20;
const RENEWED_AFTER = 100;
const LIMITS = { ...WIDE, waitMs: 5, streamMs: 5, streams: 1000, bodyBytes: 150_000 };

/** Answers requests, whose targets it names. */
interface Surface {
  readonly targets: readonly Target[];
  readonly answer: (request: HostileRequest) => Promise<Response>;
}

type Surfaces = (
  agents: readonly LocalAgent[],
  onError: (error: unknown) => void,
) => Promise<Surface> | Surface;

const NATIVE: readonly Target[] = ROUTES.map(({ method, path }) => ({
  method,
  path: `/agents/${path}`,
}));

const SURFACES: Readonly<Record<string, Surfaces>> = {
  "the native and Genkit routes": (agents, onError) => {
    const options = { auth: "public", routes: "all", limits: LIMITS, onError } as const;
    const handler = createHandler(agents, options);
    return { targets: NATIVE, answer: (request) => handler(toRequest(request)) };
  },
  "a server": async (agents) => {
    const { url } = await served(agents, { limits: LIMITS });
    return { targets: NATIVE, answer: ({ path, ...request }) => fetch(url + path, init(request)) };
  },
  "the reflection API and the Studio's": (agents, onError) => {
    // Its own, since tests before may have registered an SDK.
    const traces = new TraceStore();
    const options = { environment: "test", limits: LIMITS, onError, traces } as const;
    const handler = createReflection(agents, options);
    const headers = { authorization: `Bearer ${handler.token}` };
    const targets = STUDIO_ROUTES.map(({ method, path }) => ({
      method,
      path: `/api/${path}`,
      headers,
    }));
    return { targets, answer: (request) => handler(toRequest(request)) };
  },
};

describe.each(Object.keys(SURFACES))("%s", (name) => {
  it(
    `answer ${REQUESTS} hostile requests without an error of their own (seed ${SEED})`,
    { timeout: 600_000 },
    async () => {
      const rejections: unknown[] = [];
      const note = (error: unknown): void => void rejections.push(error);
      process.on("unhandledRejection", note);
      onTestFinished(() => void process.off("unhandledRejection", note));
      const before = fingerprint();
      const agents = [
        echoAgent({ store: new MemoryStore() }),
        echoAgent({ name: "shy", store: new MemoryStore(), transformState: shown }),
      ];
      const known: string[] = [];
      const errors: unknown[] = [];
      const { targets, answer } = await SURFACES[name]!(agents, (error) => errors.push(error));
      const random = new SeededRandom(SEED);
      const requests = new HostileRequests(random, targets, { known, agents: ["echo", "shy"] });
      const codes = new Map<number, number>();
      for (let done = 0; done < REQUESTS; done += AT_ONCE) {
        // Requests that erase sessions are among them.
        if (done % RENEWED_AFTER === 0) {
          known.splice(0, known.length, ...(await Promise.all(agents.map(knownIds))).flat());
        }
        const some = Array.from({ length: AT_ONCE }, () => requests.next());
        await Promise.all(
          some.map(async (request) => {
            const response = await answer(request);
            const text = await response.text().catch(brokenOff);
            codes.set(response.status, (codes.get(response.status) ?? 0) + 1);
            if (response.status >= 500 || text.includes('"INTERNAL"'))
              expect.fail(`${response.status} ${text}: ${JSON.stringify(request)}`);
          }),
        );
      }
      expect(errors).toEqual([]);
      expect(rejections).toEqual([]);
      expect(fingerprint()).toEqual(before);
      // They got further than the door.
      expect(codes.get(200)).toBeGreaterThan(0);
    },
  );
});

/** Hides a part of the state, as a transform may. */
function shown(state: SessionState): SessionState {
  return { ...state, artifacts: [] };
}

// The file of a session that another request erases meanwhile.
function brokenOff(error: unknown): string {
  if (error instanceof TurnkeepError && error.status === "ABORTED") return "";
  throw error;
}

it("survives what is no HTTP at all", async () => {
  const { server, ask } = await served([echoAgent()]);
  const random = new SeededRandom(SEED);
  const pieces = [
    "GET / HTTP/1.1\r\n",
    "POST /agents/echo HTTP/1.1\r\n",
    "GET /agents HTTP/9.9\r\n",
    "\r\n",
    "\0",
    "host: localhost\r\n",
    "host: a\r\nhost: b\r\n",
    "content-length: 5\r\n",
    "content-length: 5, 6\r\n",
    "transfer-encoding: chunked\r\n",
    "transfer-encoding: chunked, identity\r\n",
    "content-length: 5\r\ntransfer-encoding: chunked\r\n",
    " folded\r\n",
    "x y: z\r\n",
    "expect: 100-continue\r\n",
    "connection: upgrade\r\nupgrade: websocket\r\n",
    "5\r\nabcde\r\n",
    "ffffffffffff\r\n",
    "0\r\n\r\n",
    "content-type: application/json\r\n",
    "{}",
    "\x16\x03\x01",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    `x: ${"y".repeat(20_000)}\r\n`,
  ];
  for (let round = 0; round < 20; round += 1) {
    const sockets = Array.from({ length: 20 }, () => {
      const said = Array.from({ length: 1 + random.below(7) }, () => random.pick(pieces)!);
      return rawSocket(server.port, said.join(""));
    });
    for (const { socket } of sockets) socket.end();
    await Promise.all(
      sockets.map(({ closed }) => closed.then((text) => expect(text).not.toMatch(/^HTTP\/1\.1 5/))),
    );
  }
  expect((await ask("/health")).status).toBe(200);
});

function toRequest({ path, ...request }: HostileRequest): Request {
  return new Request(`http://localhost${path}`, init(request));
}

function init({ method, headers, body }: Omit<HostileRequest, "path">): RequestInit {
  return { method, headers, ...(body !== undefined && { body: body as string }) };
}

async function knownIds(agent: LocalAgent): Promise<readonly string[]> {
  const first = await agent.runText("a", { sessionId: "known" });
  const { runId, output } = agent.streamText("b", { sessionId: "known" });
  const { snapshotId = "" } = await output;
  return ["known", first.snapshotId ?? "", snapshotId, runId, `${runId}.1`];
}

// Everything that a polluted prototype would show.
function fingerprint(): readonly string[] {
  return [Object, Array, Function, String, Number, Promise, Map, Error].map(
    ({ name, prototype }) =>
      `${name}: ${Reflect.ownKeys(prototype as object)
        .map(String)
        .join()}`,
  );
}
