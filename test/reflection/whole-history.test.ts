import { describe, expect, test } from "vitest";
import { STORES } from "../agent/authoring/stores.ts";
import { returningAgent } from "../agent/generator/loops.ts";
import { allFrames, type Frame } from "../http/frames.ts";
import { reflecting, turn } from "./reflecting.ts";
import { rfcAgents } from "./rfc-agents.ts";

function unnamed(frames: readonly Frame[], sessionId: string): readonly string[] {
  const named = frames.filter(({ event }) => event !== "telemetry");
  return named.filter(({ data }) => data.sessionId !== sessionId).map(({ event }) => event);
}

describe.each(STORES)("a run that is executed over %s", (_, open) => {
  test("names its session in every event and holds the whole history in its last one", async () => {
    const store = await open();
    const { librarian } = rfcAgents(store);
    const looping = returningAgent({ name: "looping", store });
    const { ask, open: start } = reflecting([librarian, looping]);
    for (const agent of ["librarian", "looping"]) {
      const init = { sessionId: `of-${agent}` };
      await ask(`agents/${agent}/execute`, { body: turn("Hello!", { init }) });
      const response = await start(`agents/${agent}/execute`, {
        body: turn("And the weather?", { init, stream: true }),
      });
      const live = await allFrames(response);
      expect(unnamed(live, init.sessionId)).toEqual([]);
      const done = live.find(({ event }) => event === "done");
      expect(done?.data.messages).toHaveLength(4);
      const replay = await allFrames(
        await start(`runs/${response.headers.get("x-run-id")}/stream`),
      );
      expect(unnamed(replay, init.sessionId)).toEqual([]);
      expect(replay.find(({ event }) => event === "done")?.data.messages).toEqual(
        done?.data.messages,
      );
      const { body } = await ask(`agents/${agent}/execute`, { body: turn("And now?", { init }) });
      expect(body.result.messages.slice(0, 4)).toEqual(done?.data.messages);
      expect(body.result.messages).toHaveLength(6);
    }
  });
});
