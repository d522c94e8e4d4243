import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { framesOf } from "../http/frames.ts";
import type { Answered } from "../http/serving.ts";
import { reflecting } from "./reflecting.ts";

describe.each(STORES)("events over %s", (_, open) => {
  test("name what changed, and say nothing of it", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("old", { sessionId: "old" });
    const { open: begin } = reflecting([agent]);
    const frames = framesOf(await begin("events"));
    expect((await frames.next()).value?.event).toBe("ready");
    const next = async (event: string): Promise<Answered> => {
      for await (const frame of { [Symbol.asyncIterator]: () => ({ next: () => frames.next() }) }) {
        if (frame.event === event) return frame.data;
      }
    };
    await agent.runText("CANARY", { sessionId: "new" });
    expect(await next("sessionsChanged")).toEqual({
      ids: [{ agentName: "echo", sessionId: "new" }],
    });
    await agent.label("old", { about: { title: "renamed" } });
    expect(await next("sessionsChanged")).toEqual({
      ids: [{ agentName: "echo", sessionId: "old" }],
    });
    await agent.deleteSession("new");
    expect(await next("sessionsChanged")).toEqual({
      ids: [{ agentName: "echo", sessionId: "new" }],
    });
    await frames.return(undefined);
  });
});

test("whoever has listened longest makes room for a fifth", async () => {
  const { open } = reflecting([echoAgent({ store: new MemoryStore() })]);
  const streams = [];
  for (let number = 0; number < 5; number += 1) streams.push(framesOf(await open("events")));
  const [first, ...others] = streams;
  const seen: string[] = [];
  for await (const { event } of first!) seen.push(event);
  expect(seen.at(-1)).toBe("evicted");
  for (const stream of others) {
    expect((await stream.next()).value?.event).toBe("ready");
    await stream.return(undefined);
  }
  // Seats that were left are free.
  const again = framesOf(await open("events"));
  expect((await again.next()).value?.event).toBe("ready");
  await again.return(undefined);
});
