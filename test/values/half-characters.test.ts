import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf, textsOf } from "../agent/agents.ts";
import { TEST_PLACES, testPlace } from "../support/places/test-places.ts";

// What `slice` makes of a text that has an emoji at its end.
const HALF = "out of \uD83D";

/** Fails at "fail", and tells what it used up. */
function clippingAgent(store: SessionStore): LocalAgent {
  const agent = defineCustomAgent({ name: "clipping", store }, async ({ session }) => {
    await session.run(async ({ message }) => {
      if (textOf(message) === "fail") throw new Error(HALF);
      session.addMessages({ role: "model", content: [{ text: "re" }] });
      return { finishReason: "stop", usage: { [HALF]: HALF } };
    });
  });
  onTestFinished(() => agent.close());
  return agent;
}

describe.each(TEST_PLACES)("half of a surrogate pair over %s", (name) => {
  it.each([
    ["the usage", "go", { usage: { [HALF]: HALF } }],
    ["an error message", "fail", { error: { message: HALF } }],
  ])("in %s leaves a snapshot that can be read, forked and continued", async (_, text, told) => {
    const place = await testPlace(name);
    const agent = clippingAgent(await place.open());
    const { snapshotId = "" } = await agent.runText(text, { sessionId: "s" });
    // Another process remembers nothing of it.
    const other = clippingAgent(await place.open());
    expect(await other.getSnapshot(snapshotId)).toMatchObject(told);
    expect(await other.getOutput(snapshotId)).toMatchObject({ snapshotId });
    await other.fork(snapshotId, { sessionId: "fork" });
    const onward = await clippingAgent(await place.open()).runText("go", { snapshotId });
    const { state } = await agent.getSnapshot(onward.snapshotId ?? "");
    const before = text === "go" ? ["go", "re"] : ["fail"];
    expect(textsOf(state as never)).toEqual([...before, "go", "re"]);
  });
});
