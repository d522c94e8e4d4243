import { respondTool, restartTool, type ToolRequestPart, ToolInterruptError, z } from "genkit";
import { genkit } from "genkit/beta";
import { defineAgent, definePromptAgent, toolCall } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textsOf, user } from "../../agent/agents.ts";
import { collect } from "../../agent/authoring/turns.ts";
import { untilAborted } from "../../agent/life/waiting.ts";
import { promptFolder } from "../prompts/prompt-folder.ts";
import { linesOf, ScriptedModel, scriptedGenkit } from "../scripted-model.ts";
import { responsesIn } from "../tools/workshop.ts";
import { bureau, SIGN } from "./bureau.ts";
import { HOLDERS, response, Talk } from "./talk.ts";

describe.each(HOLDERS)("a tool that waits for a person, held by %s", (_, open) => {
  it("ends the turn with its request, marked and with its question", async () => {
    const { talk, model, done } = bureau(await open());
    model.asksFor(SIGN);
    const output = await talk.say("sign it");
    const marked = { toolRequest: SIGN, metadata: { interrupt: { question: "May I?" } } };
    expect(output).toMatchObject({
      finishReason: "interrupted",
      message: { role: "model", content: [marked] },
    });
    expect(output.error).toBeUndefined();
    expect(talk.lastParts).toEqual([marked]);
    expect(done).toEqual([]);
  });

  it("is answered in its place", async () => {
    const { talk, model, done } = bureau(await open());
    model.asksFor(SIGN).says("Good.", "Bye.");
    await talk.say("sign it");
    const output = await talk.send({ resume: { respond: [response("sign", "s1", "by hand")] } });
    expect(output).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "Good." }] },
    });
    expect(done).toEqual([]);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([["sign", "s1", "by hand"]]);
    expect(talk.messages.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
    expect(talk.messages[1]?.content).toEqual([
      { toolRequest: SIGN, metadata: { resolvedInterrupt: { question: "May I?" } } },
    ]);
    expect(await talk.say("bye")).toMatchObject({ finishReason: "stop" });
    expect(textsOf({ messages: talk.messages })).toEqual([
      "sign it",
      "",
      "",
      "Good.",
      "bye",
      "Bye.",
    ]);
  });

  it("is told to go on: with true, or with the person's own word", async () => {
    for (const [metadata, expected] of [
      [undefined, true],
      [{ resumed: { by: "Ann" } }, { by: "Ann" }],
    ] as const) {
      const { talk, model, done } = bureau(await open());
      model.asksFor(SIGN).says("Good.");
      await talk.say("sign it");
      const restart = [{ toolRequest: SIGN, ...(metadata && { metadata }) }];
      expect(await talk.send({ resume: { restart } })).toMatchObject({ finishReason: "stop" });
      expect(done).toEqual([["sign", expected]]);
      expect(responsesIn(talk.messages.at(-2))).toEqual([["sign", "s1", { signed: SIGN.input }]]);
    }
  });

  it("is one of several, all settled at once and answered in the order of the requests", async () => {
    const { talk, model, done } = bureau(await open());
    const requests = [
      SIGN,
      { name: "note", ref: "n" },
      { ...SIGN, ref: "s2" },
      { name: "note", ref: "m" },
    ];
    model.asksFor(...requests).says("Good.");
    await talk.say("sign them");
    expect(done).toEqual([
      ["note", undefined],
      ["note", undefined],
    ]);
    const output = await talk.send({
      resume: {
        restart: [{ toolRequest: { ...SIGN, ref: "s2" } }],
        respond: [response("sign", "s1", "by hand")],
      },
    });
    expect(output.finishReason).toBe("stop");
    expect(done.slice(2)).toEqual([["sign", true]]);
    const expected = [
      ["sign", "s1", "by hand"],
      ["note", "n", "noted"],
      ["sign", "s2", { signed: SIGN.input }],
      ["note", "m", "noted"],
    ];
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual(expected);
    expect(responsesIn(talk.messages.at(-2))).toEqual(expected);
    expect(JSON.stringify(talk.messages)).not.toContain("pendingOutput");
  });

  it("lets those beside it answer with anything that is false, or nothing", async () => {
    const outputs = { zero: 0, empty: "", no: false, nothing: null, silence: undefined };
    const tools = Object.entries(outputs).map(([name, output]) => [name, () => output] as const);
    const { talk, model } = bureau(await open(), Object.fromEntries(tools));
    model.asksFor(...Object.keys(outputs).map((name) => ({ name })), SIGN).says("Good.");
    await talk.say("go");
    const resumed = await talk.send({ resume: { respond: [response("sign", "s1", "")] } });
    expect(resumed).toMatchObject({ finishReason: "stop" });
    const answered = responsesIn(model.lastRequest.messages.at(-1)).map(([, , output]) => output);
    expect(answered.slice(0, 4)).toEqual([0, "", false, null]);
    expect(answered[4] ?? null).toBeNull();
    expect(answered[5]).toBe("");
  });

  it("may ask again in a later round and a later turn", async () => {
    const { talk, model } = bureau(await open());
    model.asksFor(SIGN).asksFor(SIGN).says("Good.").asksFor(SIGN).says("Fine.");
    const answer = { resume: { respond: [response("sign", "s1", 1)] } };
    expect((await talk.say("go")).finishReason).toBe("interrupted");
    expect((await talk.send(answer)).finishReason).toBe("interrupted");
    expect((await talk.send(answer)).finishReason).toBe("stop");
    expect((await talk.say("again")).finishReason).toBe("interrupted");
    expect((await talk.send(answer)).finishReason).toBe("stop");
    expect(talk.messages.map(({ role }) => role).join(" ")).toBe(
      "user model tool model tool model user model tool model",
    );
  });

  it("is answered by what Genkit's own helpers make of its request", async () => {
    const { talk, model, done } = bureau(await open());
    model.asksFor(SIGN).asksFor(SIGN).says("Good.");
    const { message } = await talk.say("go");
    const request = structuredClone(message?.content[0]) as unknown as ToolRequestPart;
    const restart = [restartTool(request, { by: "Ann" })] as never;
    expect((await talk.send({ resume: { restart } })).finishReason).toBe("interrupted");
    expect(done).toEqual([["sign", { by: "Ann" }]]);
    const respond = [respondTool(request, "by hand")] as never;
    expect((await talk.send({ resume: { respond } })).finishReason).toBe("stop");
    expect(talk.messages.at(-2)?.content[0]?.metadata).toEqual({ interruptResponse: true });
  });

  it("is answered although requests are named alike and have no references", async () => {
    const { talk, model, done } = bureau(await open());
    const requests = [{ paper: "one" }, {}, { paper: "three" }].map((input) => ({
      name: "sign",
      input,
    }));
    model.asksFor(...requests, { name: "note" }).says("Good.");
    await talk.say("go");
    const output = await talk.send({
      resume: {
        respond: [response("sign", undefined, "first"), response("sign", undefined, "second")],
        restart: [{ toolRequest: requests[2]! }],
      },
    });
    expect(output.finishReason).toBe("stop");
    expect(done.slice(1)).toEqual([["sign", true]]);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([
      ["sign", undefined, "first"],
      ["sign", undefined, "second"],
      ["sign", undefined, { signed: { paper: "three" } }],
      ["note", undefined, "noted"],
    ]);
  });
});

describe("a tool that waits for a person", () => {
  it("shows its request at the end of the stream", async () => {
    const { agent, model } = bureau(undefined);
    model.asksFor(SIGN, { name: "note", ref: "n" });
    const { chunks } = agent.stream(user("go"));
    const seen = await collect(chunks);
    const last = seen.filter(({ modelChunk }) => modelChunk).at(-1);
    expect(last?.modelChunk).toMatchObject({
      role: "tool",
      content: [
        { toolRequest: SIGN, metadata: { interrupt: { question: "May I?" } } },
        { toolRequest: { name: "note" } },
      ],
    });
  });

  it("is answered over the same connection", async () => {
    const { agent, model } = bureau(undefined);
    model.asksFor(SIGN).says("Good.");
    const connection = agent.connect();
    const ends: unknown[] = [];
    await connection.sendText("go");
    for await (const { turnEnd } of connection.receive()) {
      if (!turnEnd) continue;
      ends.push(turnEnd.finishReason);
      if (ends.length === 2) break;
      await connection.sendResume({ restart: [{ toolRequest: SIGN }] });
    }
    expect(ends).toEqual(["interrupted", "stop"]);
    const { state } = await connection.output();
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("is answered after its turn was aborted on the way on", async () => {
    const stop = new AbortController();
    let isSlow = true;
    const { agent, model, done } = bureau(new MemoryStore(), {
      wait: async (_input, options) => {
        if (!options.resumed) return options.interrupt();
        if (!isSlow) return done.push(["wait", true]);
        stop.abort();
        return await untilAborted(toolCall(options)!.signal);
      },
    });
    const request = { name: "wait", ref: "w" };
    model.asksFor(request).says("Good.");
    await agent.runText("go", { sessionId: "s" });
    const input = { resume: { restart: [{ toolRequest: request }] } };
    const aborted = await agent.run(input, { sessionId: "s", signal: stop.signal });
    expect(aborted.finishReason).toBe("aborted");
    isSlow = false;
    expect(await agent.run(input, { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    expect(done).toEqual([["wait", true]]);
  });

  it("may be one of Genkit's own interrupts", async () => {
    const ai = genkit({ model: "scripted" });
    const model = new ScriptedModel(ai);
    const ask = ai.defineInterrupt({
      name: "ask",
      description: "Asks.",
      inputSchema: z.object({ what: z.string() }),
      requestMetadata: ({ what }) => ({ asked: what }),
    });
    const check = ai.defineTool(
      { name: "check", description: "Checks.", inputSchema: z.any() },
      async (_input, { interrupt, resumed }) =>
        resumed ? "checked" : interrupt({ asked: "check" }),
    );
    const talk = new Talk(defineAgent(ai, { name: "asker", tools: [ask, check] }));
    model
      .asksFor({ name: "ask", ref: "a", input: { what: "Why?" } }, { name: "check", ref: "c" })
      .says("Good.");
    expect((await talk.say("go")).finishReason).toBe("interrupted");
    expect(talk.lastParts.map(({ metadata }) => metadata)).toEqual([
      { interrupt: { asked: "Why?" } },
      { interrupt: { asked: "check" } },
    ]);
    const output = await talk.send({
      resume: {
        restart: [{ toolRequest: { name: "check", ref: "c" } }],
        respond: [response("ask", "a", "Because.")],
      },
    });
    expect(output.finishReason).toBe("stop");
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([
      ["ask", "a", "Because."],
      ["check", "c", "checked"],
    ]);
  });

  it("keeps the parts that came with the answers of those beside it", async () => {
    const { ai, model } = scriptedGenkit();
    const content = [{ media: { url: "data:image/png;base64,AA==", contentType: "image/png" } }];
    const multipart = {
      description: "Takes a photo.",
      inputSchema: z.any(),
      multipart: true,
    } as const;
    const photo = ai.defineTool({ name: "photo", ...multipart }, async () => ({
      output: { ok: true },
      content,
    }));
    const bare = ai.defineTool({ name: "bare", ...multipart }, async () => ({ content }));
    const sign = ai.defineTool({ name: "sign", description: "Signs." }, async () => {
      throw new ToolInterruptError();
    });
    const talk = new Talk(
      defineAgent(ai, { name: "camera", system: "Go.", tools: [photo, bare, sign] }),
    );
    model
      .asksFor({ name: "photo", ref: "p" }, { name: "sign", ref: "s" }, { name: "bare", ref: "b" })
      .says("Good.");
    await talk.say("go");
    const output = await talk.send({ resume: { respond: [response("sign", "s", 1)] } });
    expect(output.finishReason).toBe("stop");
    expect(model.lastRequest.messages.at(-1)?.content).toMatchObject([
      { toolResponse: { name: "photo", ref: "p", output: { ok: true }, content } },
      { toolResponse: { name: "sign", ref: "s", output: 1 } },
      { toolResponse: { name: "bare", ref: "b", content } },
    ]);
  });

  it("is answered also where the prompt has words behind the talk", async () => {
    const { ai, model } = scriptedGenkit({
      promptDir: promptFolder({ filed: "Be brief, {{name}}." }),
    });
    const sign = ai.defineTool({ name: "sign", description: "Signs." }, async () => {
      throw new ToolInterruptError();
    });
    const inline = defineAgent(ai, { name: "inline", prompt: "Be brief, Ann.", tools: [sign] });
    const filed = await definePromptAgent(ai, {
      name: "filed",
      input: { name: "Ann" },
      tools: [sign],
    });
    const short = defineAgent(ai, {
      name: "short",
      messages: (_input, { history = [] }) => history.filter(({ role }) => role === "user"),
      prompt: "Be brief, Ann.",
      tools: [sign],
    });
    for (const agent of [inline, filed, short]) {
      const talk = new Talk(agent);
      model.asksFor({ name: "sign", ref: "s" }).says("Good.");
      await talk.say("go");
      const output = await talk.send({ resume: { respond: [response("sign", "s", 1)] } });
      expect(output.error).toBeUndefined();
      expect(linesOf(model.lastRequest).map((line) => line.trim())).toEqual([
        "user: go",
        "user: Be brief, Ann.",
        "model:",
        "tool:",
      ]);
      expect(talk.messages).toEqual([
        { role: "user", content: [{ text: "go" }] },
        {
          role: "model",
          content: [
            { toolRequest: { name: "sign", ref: "s" }, metadata: { resolvedInterrupt: true } },
          ],
        },
        {
          role: "tool",
          content: [{ toolResponse: { name: "sign", ref: "s", output: 1 } }],
          metadata: { resumed: true },
        },
        { role: "model", content: [{ text: "Good." }] },
      ]);
    }
  });
});
