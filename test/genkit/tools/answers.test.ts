import { z } from "genkit";
import { defineAgent, toolCall } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { gateOf, untilAborted } from "../../agent/life/waiting.ts";
import { scriptedGenkit } from "../scripted-model.ts";
import { responsesIn, workshop } from "./workshop.ts";

const [A, B, C] = ["a", "b", "c"].map((ref) => ({ name: `tool_${ref}`, ref, input: ref }));

describe.each(STORES)("the answers of tools over %s", (_, openStore) => {
  it("keep the order of the requests, whichever ends first", async () => {
    const gates = [gateOf(), gateOf()] as const;
    const { agent, model } = workshop({
      store: await openStore(),
      tools: {
        tool_a: () => gates[0].promise.then(() => "A"),
        tool_b: async () => {
          await gates[1].promise;
          gates[0].open();
          return "B";
        },
        tool_c: () => {
          gates[1].open();
          return "C";
        },
      },
    });
    model.asksFor(A!, B!, C!).says("done");
    await agent.runText("go", { sessionId: "s" });
    const expected = [
      ["tool_a", "a", "A"],
      ["tool_b", "b", "B"],
      ["tool_c", "c", "C"],
    ];
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual(expected);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
    expect(responsesIn(state?.messages?.[2])).toEqual(expected);
  });

  it("may be anything that is false, or nothing", async () => {
    const { agent, model } = workshop({
      store: await openStore(),
      tools: {
        zero: () => 0,
        empty: () => "",
        no: () => false,
        nothing: () => null,
        silence: () => undefined,
      },
    });
    const names = ["zero", "empty", "no", "nothing", "silence"];
    model.asksFor(...names.map((name) => ({ name }))).says("done");
    await agent.runText("go", { sessionId: "s" });
    const outputs = responsesIn(model.lastRequest.messages.at(-1)).map(([, , output]) => output);
    expect(outputs.slice(0, 4)).toEqual([0, "", false, null]);
    expect(outputs[4] ?? null).toBe(null);
  });

  it("are lost with one that fails: the talk stays at the last completed round", async () => {
    const done: string[] = [];
    let isBroken = true;
    const { agent, model } = workshop({
      store: await openStore(),
      tools: {
        tool_a: () => done.push("a"),
        tool_b: () => {
          if (isBroken) throw new Error("The tool broke.");
          return done.push("b");
        },
        tool_c: () => done.push("c"),
      },
    });
    model.asksFor(A!).asksFor(B!, C!);
    expect(await agent.runText("go", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { status: "INTERNAL", message: "The tool broke." },
    });
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool"]);
    expect(responsesIn(state?.messages?.[2])).toEqual([["tool_a", "a", 1]]);
    isBroken = false;
    model.asksFor(B!).says("done");
    expect(await agent.run({}, { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    expect(model.requests.at(-2)?.messages.at(-1)?.role).toBe("tool");
    expect(done.filter((name) => name === "a")).toHaveLength(1);
    const after = (await agent.getLatestSnapshot("s")).state;
    expect(textsOf(after).at(-1)).toBe("done");
    expect(after?.messages?.map(({ role }) => role)).toEqual([
      "user",
      "model",
      "tool",
      "model",
      "tool",
      "model",
    ]);
  });

  it("are kept when the model fails after them", async () => {
    const done: string[] = [];
    const { agent, model } = workshop({
      store: await openStore(),
      tools: { tool_a: () => done.push("a") },
    });
    model.asksFor(A!).fails().says("done");
    expect((await agent.runText("go", { sessionId: "s" })).finishReason).toBe("failed");
    expect(await agent.run({}, { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    expect(done).toEqual(["a"]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("are asked for no more often than the limit on rounds says", async () => {
    const done: string[] = [];
    const { agent, model } = workshop({
      store: await openStore(),
      tools: { tool_a: () => done.push("a") },
      maxTurns: 2,
    });
    for (let round = 0; round < 3; round += 1) model.asksFor({ ...A!, ref: `${round}` });
    expect(await agent.runText("go", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { status: "ABORTED", message: expect.stringContaining("iterations (2)") },
    });
    expect(done).toHaveLength(2);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual([
      "user",
      "model",
      "tool",
      "model",
      "tool",
    ]);
  });

  it("are not waited for when the turn is aborted, and the model is not asked again", async () => {
    const begun = gateOf();
    const signals: unknown[] = [];
    const { agent, model } = workshop({
      store: await openStore(),
      tools: {
        tool_a: async (_input, options) => {
          const { signal } = toolCall(options)!;
          begun.open();
          await untilAborted(signal).catch(() => signals.push(signal.aborted));
          return "too late";
        },
      },
    });
    model.asksFor(A!);
    const stop = new AbortController();
    const output = agent.runText("go", { sessionId: "s", signal: stop.signal });
    await begun.promise;
    stop.abort();
    expect(await output).toMatchObject({ finishReason: "aborted" });
    expect(signals).toEqual([true]);
    expect(model.requests).toHaveLength(1);
    const snapshots = await agent.listSnapshots("s");
    expect(snapshots.map(({ status }) => status)).toEqual(["aborted"]);
  });

  it("stop the turn between rounds when it was aborted by its name meanwhile", async () => {
    const store = await openStore();
    const { agent, model } = workshop({
      store,
      tools: {
        // A tool that heeds no signal.
        tool_a: async (_input, options) => {
          await agent.abort(toolCall(options)!.turn.snapshotId!);
          return "done";
        },
      },
    });
    model.asksFor(A!).says("never");
    expect(await agent.runText("go", { sessionId: "s" })).toMatchObject({
      finishReason: "aborted",
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe("the answers of tools", () => {
  it("keep the order with one that fails", async () => {
    const gate = gateOf();
    const ended: string[] = [];
    const { agent, model } = workshop({
      tools: {
        tool_a: async () => {
          await gate.promise;
          ended.push("a");
          return 1;
        },
        tool_b: () => {
          gate.open();
          throw new Error("The tool broke.");
        },
        tool_c: () => ended.push("c"),
      },
    });
    model.asksFor(A!, B!, C!);
    expect(await agent.runText("go")).toMatchObject({
      finishReason: "failed",
      error: { message: "The tool broke." },
    });
    // The one before it was not cut off.
    expect(ended.toSorted()).toEqual(["a", "c"]);
  });

  it("reach the model with the parts that came with them", async () => {
    const { ai, model } = scriptedGenkit();
    const photo = ai.defineTool(
      { name: "photo", description: "Takes a photo.", inputSchema: z.any(), multipart: true },
      async () => ({
        output: { ok: true },
        content: [{ media: { url: "data:image/png;base64,AA==", contentType: "image/png" } }],
        metadata: { camera: 1 },
      }),
    );
    const agent = defineAgent(ai, { name: "camera", system: "Look.", tools: [photo] });
    model.asksFor({ name: "photo", ref: "1" }).says("A cat.");
    const { state } = await agent.runText("go");
    const part = {
      toolResponse: {
        name: "photo",
        ref: "1",
        output: { ok: true },
        content: [{ media: { url: "data:image/png;base64,AA==", contentType: "image/png" } }],
      },
      metadata: { camera: 1 },
    };
    expect(model.lastRequest.messages.at(-1)).toEqual({ role: "tool", content: [part] });
    expect(state?.messages?.[2]).toEqual({ role: "tool", content: [part] });
  });

  it("cannot be had for an input that does not fit the tool", async () => {
    const { ai, model } = scriptedGenkit();
    const count = ai.defineTool(
      { name: "count", description: "Counts.", inputSchema: z.object({ n: z.number() }) },
      async ({ n }) => n,
    );
    const agent = defineAgent(ai, { name: "counter", system: "Count.", tools: [count] });
    model.asksFor({ name: "count", input: { n: "one" } });
    expect(await agent.runText("go")).toMatchObject({
      finishReason: "failed",
      error: { status: "INVALID_ARGUMENT" },
    });
  });
});
