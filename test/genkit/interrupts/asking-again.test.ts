import { describe, expect, it } from "vitest";
import { collect } from "../../agent/authoring/turns.ts";
import { databaseFile, openShared } from "../../agent/life/stores.ts";
import { responsesIn } from "../tools/workshop.ts";
import { bureau } from "./bureau.ts";
import { HOLDERS, response, Talk } from "./talk.ts";

const [ONE, TWO] = ["1", "2"].map((ref) => ({ name: "pay", ref, input: { step: ref } }));
const RESTART = { resume: { restart: [{ toolRequest: ONE! }, { toolRequest: TWO! }] } };

/** What each request of `pay` does when it is told to go on, time after time. */
type Plan = Record<string, ("ask" | "fail" | "pay")[]>;

describe.each(HOLDERS)("a tool that was told to go on, held by %s", (_, open) => {
  it("may ask again: the turn ends as before, and those beside it are not run twice", async () => {
    const { talk, model, paid } = paying(await open(), { 1: ["pay"], 2: ["ask", "pay"] });
    model.asksFor(ONE!, TWO!, { name: "note", ref: "n" }).says("Good.");
    await talk.say("pay both");
    const again = await talk.send(RESTART);
    expect(again).toMatchObject({ finishReason: "interrupted" });
    expect(again.error).toBeUndefined();
    expect(model.requests).toHaveLength(1);
    expect(talk.messages.map(({ role }) => role)).toEqual(["user", "model"]);
    expect(talk.lastParts).toMatchObject([
      { toolRequest: ONE, metadata: { pendingOutput: { paid: "1" } } },
      { toolRequest: TWO, metadata: { interrupt: { asks: "2 again" } } },
      { toolRequest: { name: "note" }, metadata: { pendingOutput: "noted" } },
    ]);
    expect(talk.lastParts[0]?.metadata).not.toHaveProperty("interrupt");
    const done = await talk.send({ resume: { restart: [{ toolRequest: TWO! }] } });
    expect(done.finishReason).toBe("stop");
    expect(paid).toEqual(["1", "2"]);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([
      ["pay", "1", { paid: "1" }],
      ["pay", "2", { paid: "2" }],
      ["note", "n", "noted"],
    ]);
    expect(talk.messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("may fail: it can be answered once more, and those beside it are not run twice", async () => {
    const { talk, model, paid } = paying(await open(), { 1: ["fail", "pay"], 2: ["pay"] });
    model.asksFor(ONE!, TWO!).says("Good.");
    await talk.say("pay both");
    const failed = await talk.send(RESTART);
    expect(failed).toMatchObject({
      finishReason: "failed",
      error: { status: "INTERNAL", message: "The bank is closed." },
    });
    expect(talk.lastParts).toMatchObject([
      { metadata: { interrupt: { asks: "1" } } },
      { metadata: { pendingOutput: { paid: "2" } } },
    ]);
    // What was answered is no longer open, what failed is.
    expect((await talk.send(RESTART)).error?.message).toContain("no longer pending");
    const done = await talk.send({ resume: { restart: [{ toolRequest: ONE! }] } });
    expect(done.finishReason).toBe("stop");
    expect(paid).toEqual(["2", "1"]);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([
      ["pay", "1", { paid: "1" }],
      ["pay", "2", { paid: "2" }],
    ]);
  });

  it("may fail while another asks again: nothing is lost of either", async () => {
    const { talk, model, paid } = paying(await open(), { 1: ["fail", "pay"], 2: ["ask", "pay"] });
    model.asksFor(ONE!, TWO!).says("Good.");
    await talk.say("pay both");
    expect((await talk.send(RESTART)).error?.message).toBe("The bank is closed.");
    expect(talk.lastParts).toMatchObject([
      { metadata: { interrupt: { asks: "1" } } },
      { metadata: { interrupt: { asks: "2 again" } } },
    ]);
    expect((await talk.send(RESTART)).finishReason).toBe("stop");
    expect(paid).toEqual(["1", "2"]);
  });

  it("keeps the answer that a person gave for one beside it", async () => {
    const { talk, model, paid } = paying(await open(), { 2: ["ask", "pay"] });
    model.asksFor(ONE!, TWO!).says("Good.");
    await talk.say("pay both");
    const restart = [{ toolRequest: TWO! }];
    const first = { respond: [response("pay", "1", null)], restart };
    expect((await talk.send({ resume: first })).finishReason).toBe("interrupted");
    expect((await talk.send({ resume: { restart } })).finishReason).toBe("stop");
    expect(paid).toEqual(["2"]);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([
      ["pay", "1", null],
      ["pay", "2", { paid: "2" }],
    ]);
  });

  it("is done when the model fails after it: nothing waits, and an empty input goes on", async () => {
    const { talk, model, paid } = paying(await open(), { 1: ["pay"], 2: ["pay"] });
    model.asksFor(ONE!, TWO!).fails().says("Good.");
    await talk.say("pay both");
    expect((await talk.send(RESTART)).error?.message).toBe("The model is down.");
    expect(talk.messages.map(({ role }) => role)).toEqual(["user", "model", "tool"]);
    expect((await talk.send({})).finishReason).toBe("stop");
    expect(paid).toEqual(["1", "2"]);
    expect(talk.messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("tells requests apart that are named alike and have no references", async () => {
    const { talk, model, paid } = paying(await open(), { 1: ["pay"], 2: ["ask", "pay"] });
    const requests = ["1", "2"].map((step) => ({ name: "pay", input: { step } }));
    model.asksFor(...requests).says("Good.");
    await talk.say("pay both");
    const [one, two] = requests.map((toolRequest) => ({ toolRequest }));
    expect((await talk.send({ resume: { restart: [two!, one!] } })).finishReason).toBe(
      "interrupted",
    );
    expect(talk.lastParts).toMatchObject([
      { ...one, metadata: { pendingOutput: { paid: "1" } } },
      { ...two, metadata: { interrupt: { asks: "2 again" } } },
    ]);
    expect(JSON.stringify(talk.messages)).not.toContain("turnkeep");
    expect((await talk.send({ resume: { restart: [two!] } })).finishReason).toBe("stop");
    expect(paid).toEqual(["1", "2"]);
    expect(responsesIn(talk.messages.at(-2))).toEqual([
      ["pay", undefined, { paid: "1" }],
      ["pay", undefined, { paid: "2" }],
    ]);
    expect(JSON.stringify(model.requests)).not.toContain("turnkeep");
  });
});

describe("a tool that was told to go on", () => {
  it("shows its new request at the end of the stream", async () => {
    const { talk, agent, model } = paying(undefined, { 1: ["ask"] });
    model.asksFor(ONE!);
    const { state = {} } = await talk.say("pay");
    const input = { resume: { restart: [{ toolRequest: ONE! }] } };
    const { chunks, output } = agent.stream(input, { state });
    const seen = await collect(chunks);
    expect(seen.filter(({ modelChunk }) => modelChunk).map(({ modelChunk }) => modelChunk)).toEqual(
      [
        {
          role: "tool",
          content: [{ toolRequest: ONE, metadata: { interrupt: { asks: "1 again" } } }],
        },
      ],
    );
    expect((await output).finishReason).toBe("interrupted");
  });

  it("goes on in another process, which knows what waits", async () => {
    const file = databaseFile();
    const first = paying(await openShared(file), {});
    first.model.asksFor(ONE!, TWO!);
    await first.talk.say("pay both");
    await first.agent.close();
    const second = paying(await openShared(file), { 1: ["pay"], 2: ["pay"] });
    second.model.says("Good.");
    expect((await second.talk.send(RESTART)).finishReason).toBe("stop");
    expect(second.paid).toEqual(["1", "2"]);
    await second.agent.close();
  });
});

function paying(
  store: Parameters<typeof bureau>[0],
  plan: Plan,
): ReturnType<typeof bureau> & { readonly paid: string[] } {
  const paid: string[] = [];
  const made = bureau(store, {
    pay: (input, { resumed, interrupt }) => {
      const { step } = input as { readonly step: string };
      if (!resumed) return interrupt({ asks: step });
      const next = plan[step]?.shift();
      if (next === "ask") return interrupt({ asks: `${step} again` });
      if (next === "fail") throw new Error("The bank is closed.");
      paid.push(step);
      return { paid: step };
    },
  });
  return { ...made, paid, talk: new Talk(made.agent) };
}
