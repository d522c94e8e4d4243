import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startCli } from "../workers/start-cli.ts";
import { freshFolder, SHOP } from "./run-turnkeep.ts";

const TALKER = fileURLToPath(new URL("modules/genkit-talker.mjs", import.meta.url));

test.each([
  ["clerk", SHOP, ["clerk", "clerk > runTurn-1"]],
  [
    "talker",
    TALKER,
    [
      "talker",
      "talker > runTurn-1",
      "talker > runTurn-1 > generate",
      "talker > runTurn-1 > generate > clock",
      "talker > runTurn-1 > generate > parrot",
    ],
  ],
])(
  "a run of %s has a trace with all its spans, though the module sets up no telemetry",
  async (name, module, paths) => {
    const environment = { GENKIT_ENV: "", GENKIT_TELEMETRY_SERVER: "" };
    const server = startCli(["serve", module, "--dev", "--json"], environment, freshFolder());
    await server.said("{");
    const { url, studio } = JSON.parse(server.lines[0]!) as { url: string; studio: string };
    const [, token] = studio.split("#token=");
    const ask = async (path: string, body?: object): Promise<never> => {
      const response = await fetch(`${url}/studio/api/${path}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as never;
    };
    const input = { role: "user", content: [{ text: "what time is it?" }] };
    const { result, telemetry }: Executed = await ask(`agents/${name}/execute`, { input });
    expect(result.finishReason).toBe("stop");
    const { spans }: Traced = await ask(`traces/${telemetry.traceId}`);
    expect([...new Set(pathsOf(spans))].toSorted()).toEqual(expect.arrayContaining(paths));
    server.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  },
);

interface Executed {
  readonly result: { readonly finishReason: string };
  readonly telemetry: { readonly traceId: string };
}

interface Traced {
  readonly spans: readonly {
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly name: string;
  }[];
}

/** Where each span stands, by the names of those above it. */
function pathsOf(spans: Traced["spans"]): readonly string[] {
  const pathOf = ({ name, parentSpanId }: Traced["spans"][number]): string => {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    return parent ? `${pathOf(parent)} > ${name}` : name;
  };
  return spans.map(pathOf);
}
