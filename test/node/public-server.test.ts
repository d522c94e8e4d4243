import type { AuthDecision } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, onTestFinished, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { served } from "../http/serving.ts";

const signedIn: AuthDecision = () => ({ tenant: "acme", principal: "ada" });

const SERVERS: readonly (readonly [string, AuthDecision, boolean])[] = [
  ["0.0.0.0", "public", true],
  ["0.0.0.0", signedIn, false],
  ["127.0.0.1", "public", false],
  ["localhost", "public", false],
];

test.each(SERVERS)("a server at %s with auth %s warns: %s", async (hostname, auth, isWarned) => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  const { url } = await served([echoAgent({ store: new MemoryStore() })], { hostname, auth });
  await new Promise((resolve) => setImmediate(resolve));
  const warning = {
    name: "TurnkeepWarning",
    code: "TURNKEEP_PUBLIC_SERVER",
    message: `${url} is public beyond this machine: everybody who can reach it may call the agents. Pass an 'auth' function, or listen at 127.0.0.1.`,
  };
  expect(warnings).toEqual(isWarned ? [expect.objectContaining(warning)] : []);
});
