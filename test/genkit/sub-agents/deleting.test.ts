import { describe, expect, test } from "vitest";
import { freshAi, helper, lead, memory, recall } from "./crew.ts";

describe("deleting a session of an agent that asks others", () => {
  test.each(["by reference", "by name", "by reference, with options"])(
    "deletes theirs, asked %s, though kept elsewhere",
    async (how) => {
      const ai = freshAi();
      const asked = helper({ ai, store: memory() }, recall);
      const reference = how === "by name" ? "helper" : asked;
      const agents = [how.endsWith("options") ? { agent: reference } : reference];
      const outer = lead({ ai, store: memory(), agents });
      for (const sessionId of ["s", "other"]) await outer.runText("dig", { sessionId });
      const { sessions: before } = await asked.listSessions();
      expect(before.map(({ sessionId }) => sessionId)).toContain("s:helper");
      expect(await outer.deleteSession("s")).toEqual({
        sessionId: "s",
        linked: [{ agent: "helper", sessionId: "s:helper" }],
      });
      const { sessions } = await asked.listSessions();
      expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["other:helper"]);
    },
  );

  test("deletes those that theirs asked, too", async () => {
    const ai = freshAi();
    const store = memory();
    const asked = helper({ ai, store }, recall);
    const middle = lead({ ai, store, agents: [asked], name: "middle" });
    const outer = lead({ ai, store, agents: [middle], tool: "middle" });
    await outer.runText("dig", { sessionId: "s" });
    const deleted = await outer.deleteSession("s");
    expect(deleted?.linked.map(({ sessionId }) => sessionId)).toEqual([
      "s:middle",
      "s:middle:helper",
    ]);
    for (const agent of [asked, middle, outer]) {
      expect((await agent.listSessions()).sessions).toEqual([]);
    }
  });

  test("deletes those of its tasks in the background", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory() }, recall);
    const outer = lead({ ai, store: memory(), agents: [{ agent: asked, background: true }] });
    await outer.runText("dig + carry", { sessionId: "s" });
    const { sessions: before } = await asked.listSessions();
    expect(before).toHaveLength(2);
    const deleted = await outer.deleteSession("s");
    expect(deleted?.linked.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      before.map(({ sessionId }) => sessionId).toSorted(),
    );
    expect((await asked.listSessions()).sessions).toEqual([]);
  });

  test("knows of none where the asked agent keeps nothing", async () => {
    const ai = freshAi();
    const outer = lead({ ai, store: memory(), agents: [helper({ ai }, recall)] });
    await outer.runText("dig", { sessionId: "s" });
    expect(await outer.deleteSession("s")).toEqual({ sessionId: "s", linked: [] });
  });
});
