import { AgentRegistry } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, onTestFinished, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { served } from "../http/serving.ts";

const secret = "a secret of at least thirty-two bytes";

const AGENTS = [
  echoAgent({ name: "kept", store: new MemoryStore() }),
  echoAgent({ name: "signed", clientState: { secret } }),
  echoAgent({ name: "open" }),
  echoAgent({ name: "wide" }),
];

async function warningsOf(serving: () => Promise<unknown>): Promise<readonly Error[]> {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  await serving();
  await new Promise((resolve) => setImmediate(resolve));
  return warnings;
}

test("a server warns of agents whose state clients carry unsigned, and names them", async () => {
  const registry = new AgentRegistry();
  for (const agent of AGENTS) registry.register(agent);
  for (const agents of [AGENTS, registry]) {
    const warning = {
      name: "TurnkeepWarning",
      code: "TURNKEEP_UNSIGNED_STATE",
      message: expect.stringMatching(
        /^'open', 'wide': clients carry .+ 'clientState: \{ secret \}'/,
      ),
    };
    expect(await warningsOf(() => served(agents))).toEqual([expect.objectContaining(warning)]);
  }
});

test("a server whose agents keep or sign their state does not warn", async () => {
  expect(await warningsOf(() => served(AGENTS.slice(0, 2)))).toEqual([]);
});
