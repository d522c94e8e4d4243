import { type LocalAgent, TurnkeepError } from "turnkeep";
import { createHandler } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, it, onTestFinished } from "vitest";
import { echoAgent } from "../../agent/agents.ts";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { rawSocket } from "../raw-request.ts";
import { served, WIDE } from "../serving.ts";
import { type HostileRequest, HostileRequests } from "./hostile-request.ts";

const REQUESTS = Number(process.env["TURNKEEP_HOSTILE"] ?? 10_000);
const SEED = chooseSeed(process.env["TURNKEEP_SEED"]);
const AT_ONCE = 20;

it(
  `answers ${REQUESTS} hostile requests without an error of its own (seed ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown): void => void rejections.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const before = fingerprint();
    const store = new MemoryStore();
    const agent = echoAgent({ store });
    const known = await knownIds(agent);
    const errors: unknown[] = [];
    const handler = createHandler([agent], {
      auth: "public",
      routes: "all",
      limits: { ...WIDE, waitMs: 5, bodyBytes: 150_000 },
      onError: (error) => errors.push(error),
    });
    const requests = new HostileRequests(new SeededRandom(SEED), known);
    const codes = new Map<number, number>();
    for (let done = 0; done < REQUESTS; done += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, () => requests.next());
      await Promise.all(
        some.map(async (request) => {
          const response = await handler(toRequest(request));
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
    expect([...codes.keys()].filter((code) => code >= 500)).toEqual([]);
    // They got further than the door.
    expect(codes.get(200)).toBeGreaterThan(0);
  },
);

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

function toRequest({ method, path, headers, body }: HostileRequest): Request {
  return new Request(`http://localhost${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: body as string }),
  });
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
