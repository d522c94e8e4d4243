import type { AgentConnection } from "turnkeep";
import { describe, expect, test } from "vitest";
import { textsOf } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { STORES } from "./stores.ts";
import { collect } from "./waiting.ts";

describe.each(STORES)("two connections to one session over %s", (_, createStore) => {
  test("each goes on from where the session is, sees the whole talk, and is told that it moved", async () => {
    const agent = slowAgent({ store: await createStore() });
    const [ada, eve] = [agent.connect({ sessionId: "s" }), agent.connect({ sessionId: "s" })];
    expect(await say(ada, "a")).not.toContain("moved");
    expect(await say(ada, "b")).not.toContain("moved");
    expect(await say(eve, "c")).toContain("turnEnd");
    expect(await say(ada, "d")).toContain("moved");
    expect(await say(eve, "e")).toContain("moved");
    expect(await say(eve, "f")).not.toContain("moved");
    const texts = ["a", "b", "c", "d", "e", "f"].flatMap((text) => [text, `re: ${text}`]);
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(texts);
    await ada.output();
    const types = (await collect(agent.attach(ada.runId))).map(({ type }) => type);
    expect(types.filter((type) => type === "moved")).toHaveLength(1);
    const snapshots = await agent.listSnapshots("s");
    const isLine = snapshots.every(
      ({ parentId }, at) => parentId === snapshots[at - 1]?.snapshotId,
    );
    expect(isLine).toBe(true);
  });
});

async function say(connection: AgentConnection, text: string): Promise<readonly string[]> {
  await connection.sendText(text);
  const types: string[] = [];
  for await (const { type } of connection.events()) {
    types.push(type);
    if (type === "turnEnd") break;
  }
  return types;
}
