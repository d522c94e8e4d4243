import { agents, artifacts } from "@genkit-ai/middleware";
import type { GenerateRequest } from "genkit";
import { genkit, InMemorySessionStore } from "genkit/beta";
import type { Json, LocalAgent } from "turnkeep";
import { defineAgent, defineCustomAgent, type InlineAgentOptions } from "turnkeep/genkit";
import { describe, expect, test } from "vitest";
import { collect } from "../plugins/remote-agent.ts";
import { gateOf, registered, untilAborted, user } from "../registry/registered.ts";
import { type Answer, defineThinker, type Thought } from "../registry/thinking-model.ts";
import { closing, freshAi, helper, lead, memory, recall, textOf } from "./crew.ts";

describe("Genkit's middleware for sub-agents in an agent of ours", () => {
  test("asks our agents, with a store and without one", async () => {
    for (const store of [memory(), undefined]) {
      const ai = freshAi();
      helper({ ai, ...(store && { store }), description: "Digs." }, recall);
      const { outer, requests } = delegating(ai);
      const output = await outer.runText("dig", { sessionId: "s" });
      expect(textOf(output)).toBe('told {"response":"DIG"}');
      expect(textOfSystem(requests[0])).toContain("delegate_to_helper: Digs.");
    }
  });

  // W17: in Genkit's own agents that message becomes part of the talk for good.
  test("keeps what it tells the model out of the talk", async () => {
    const ai = freshAi();
    helper({ ai, store: memory() }, recall);
    for (const system of [undefined, "Be brief."]) {
      const name = system ? "brief" : "lead";
      const { outer, requests } = delegating(ai, { name, ...(system && { system }) });
      await outer.runText("dig", { sessionId: "s" });
      await outer.runText("fill", { sessionId: "s" });
      const { state } = await outer.getLatestSnapshot("s");
      const turn = ["user", "model", "tool", "model"];
      expect(state?.messages?.map(({ role }) => role)).toEqual([...turn, ...turn]);
      expect(JSON.stringify(state)).not.toContain("sub-agents");
      for (const request of requests) {
        const systems = request.messages.filter(({ role }) => role === "system");
        expect(systems).toHaveLength(1);
        expect(textOfSystem(request).split("<sub-agents>")).toHaveLength(2);
        expect(textOfSystem(request).startsWith("Be brief.")).toBe(system !== undefined);
      }
    }
  });

  test("puts their artifacts into our session, streamed", async () => {
    const ai = freshAi();
    writer(ai);
    const { outer } = delegating(ai, {}, "writer");
    const { chunks, output } = outer.streamText("dig", { sessionId: "s" });
    const streamed = await collect(chunks);
    const made = { name: expect.stringMatching(/^writer_.*\/page$/), parts: [{ text: "dig" }] };
    expect((await output).artifacts).toMatchObject([{ ...made, metadata: { source: "writer" } }]);
    expect(streamed.flatMap(({ artifact }) => artifact ?? [])).toMatchObject([made]);
  });

  test("is told of an agent that fails, and goes on", async () => {
    const ai = freshAi();
    helper({ ai, store: memory() }, () => {
      throw new Error("too much");
    });
    const { outer } = delegating(ai);
    const output = await outer.runText("dig");
    expect(output.finishReason).toBe("stop");
    expect(textOf(output)).toMatch(/Error calling agent 'helper': .*too much/);
  });

  test("passes on who calls", async () => {
    const ai = freshAi();
    const heard: unknown[] = [];
    closing(
      defineCustomAgent(ai, { name: "helper", store: memory() }, async ({ session, context }) => {
        heard.push({ ...context });
        await session.run(() => {});
      }),
    );
    const { outer } = delegating(ai);
    await outer.runText("dig", { context: { auth: { uid: "u1" } } });
    expect(heard).toEqual([{ auth: { uid: "u1" } }]);
  });
});

describe("Genkit's middleware for artifacts in an agent of ours", () => {
  test("writes to and reads from our session, and its list stays out of the talk", async () => {
    const ai = freshAi();
    const requests: GenerateRequest[] = [];
    const outer = watched(ai, requests, { use: [artifacts()], name: "lead" }, (thought) => {
      if (thought.isAnswered) return `told ${thought.heard}`;
      const [verb, content] = thought.heard.split(" ");
      return verb === "write"
        ? [{ tool: "write_artifact", input: { name: "page", content } }]
        : [{ tool: "read_artifact", input: { name: "page" } }];
    });
    const { chunks, output } = outer.streamText("write holes", { sessionId: "s" });
    const streamed = await collect(chunks);
    const page = { name: "page", parts: [{ text: "holes" }] };
    expect((await output).artifacts).toEqual([page]);
    expect(streamed.flatMap(({ artifact }) => artifact ?? [])).toEqual([page]);
    const read = await outer.runText("read", { sessionId: "s" });
    expect(textOf(read)).toContain('"content":"holes","found":true');
    expect(textOfSystem(requests[0])).toContain("No artifacts");
    expect(textOfSystem(requests.at(-1))).toContain("- page (5 chars)");
    const { state } = await outer.getLatestSnapshot("s");
    expect(state?.messages?.some(({ role }) => role === "system")).toBe(false);
    expect(JSON.stringify(state?.messages)).not.toContain("<artifacts>");
  });

  test("shows what a sub-agent of ours has made", async () => {
    const ai = freshAi();
    const requests: GenerateRequest[] = [];
    const given = { name: "lead", use: [artifacts({ readonly: true })], agents: [writer(ai)] };
    const outer = watched(ai, requests, given, ({ request, heard }) => {
      const rounds = request.messages.filter(({ role }) => role === "tool").length;
      if (rounds === 0) return [{ tool: "writer", input: { task: "holes" } }];
      if (rounds === 1) return [{ tool: "read_artifact", input: { name: "page" } }];
      return heard;
    });
    expect(textOf(await outer.runText("go"))).toContain('"content":"holes"');
    expect(textOfSystem(requests[1])).toContain("- page (5 chars)");
  });
});

describe("Genkit's own agents", () => {
  test("are asked by ours, and remember, with a store and without one", async () => {
    const ai = genkit({});
    const model = defineThinker(ai, "recall", recall);
    ai.defineAgent({ name: "kept", model, store: new InMemorySessionStore() });
    ai.defineAgent({ name: "carried", model });
    for (const name of ["kept", "carried"]) {
      const outer = lead({ ai, store: memory(), agents: [name], name: `${name}-lead`, tool: name });
      await outer.runText("a", { sessionId: "s" });
      expect(textOf(await outer.runText("b", { sessionId: "s" }))).toBe('told {"answer":"A, B"}');
    }
  });

  test("fail ours when they fail", async () => {
    const ai = genkit({});
    const model = defineThinker(ai, "failing", () => {
      throw new Error("too much");
    });
    ai.defineAgent({ name: "helper", model });
    const outer = lead({ ai, store: memory(), agents: ["helper"] });
    expect(await outer.runText("dig")).toMatchObject({
      finishReason: "failed",
      error: { message: expect.stringMatching(/agent 'helper' did not answer: .*too much/) },
    });
  });

  test("keep no abort of ours waiting, though they do not heed it", async () => {
    const ai = genkit({});
    const begun = gateOf();
    const over = new AbortController();
    const model = defineThinker(ai, "waiting", async () => {
      begun.open();
      return await untilAborted(over.signal);
    });
    ai.defineAgent({ name: "helper", model });
    const outer = lead({ ai, store: memory(), agents: ["helper"] });
    const caller = new AbortController();
    const running = outer.runText("dig", { sessionId: "s", signal: caller.signal });
    await begun.promise;
    caller.abort();
    expect(await running).toMatchObject({ finishReason: "aborted" });
    over.abort();
  });

  test("ask ours, with a store and without one, and are told of failures", async () => {
    const ai = genkit({});
    helper({ ai, name: "kept", store: memory() }, recall);
    helper({ ai, name: "carried" }, recall);
    helper({ ai, name: "failing", store: memory() }, () => {
      throw new Error("too much");
    });
    for (const [name, answer] of [
      ["kept", "DIG"],
      ["carried", "DIG"],
      ["failing", "too much"],
    ] as const) {
      const model = defineThinker(ai, `${name}-lead-model`, ({ heard, isAnswered }) =>
        isAnswered ? heard : [{ tool: `delegate_to_${name}`, input: { task: heard } }],
      );
      ai.defineAgent({ name: `${name}-lead`, model, use: [agents({ agents: [name] })] });
      const theirs = await registered(ai, `/agent/${name}-lead`);
      const { result } = await theirs.run(user("dig"), { init: {} });
      expect(result.finishReason).toBe("stop");
      expect(textOf(result)).toContain(answer);
    }
  });

  test("tell one of ours without a store what was said before", async () => {
    const ai = genkit({});
    helper({ ai }, recall);
    const model = defineThinker(ai, "lead-model", ({ heard, isAnswered }) =>
      isAnswered ? heard : [{ tool: "delegate_to_helper", input: { task: "fill" } }],
    );
    const use = [agents({ agents: ["helper"], historyLength: 4 })];
    ai.defineAgent({ name: "theirs", model, use });
    const theirs = await registered(ai, "/agent/theirs");
    const { result } = await theirs.run(user("dig"), { init: {} });
    expect(textOf(result)).toContain("DIG, FILL");
  });
});

type Given = Partial<InlineAgentOptions<Json, Json, Json>>;

/** An agent of ours that has its work done through Genkit's middleware. */
function delegating(
  ai: ReturnType<typeof freshAi>,
  given: Given = {},
  to = "helper",
): { readonly outer: LocalAgent; readonly requests: readonly GenerateRequest[] } {
  const requests: GenerateRequest[] = [];
  const use = [agents({ agents: [to] })];
  const outer = watched(ai, requests, { name: "lead", use, ...given }, ({ heard, isAnswered }) =>
    isAnswered ? `told ${heard}` : [{ tool: `delegate_to_${to}`, input: { task: heard } }],
  );
  return { outer, requests };
}

/** An agent of ours whose model writes down what it is asked. */
function watched(
  ai: ReturnType<typeof freshAi>,
  requests: GenerateRequest[],
  given: Given & { readonly name: string },
  think: (thought: Thought) => Answer,
): LocalAgent {
  const model = defineThinker(ai, `${given.name}-model`, (thought) => {
    requests.push(structuredClone(thought.request));
    return think(thought);
  });
  return closing(defineAgent(ai, { model, store: memory(), ...given }));
}

function writer(ai: ReturnType<typeof freshAi>): LocalAgent {
  return closing(
    defineCustomAgent(ai, { name: "writer", store: memory() }, async ({ session }) => {
      await session.run(({ message }) =>
        session.addArtifacts({ name: "page", parts: message?.content ?? [] }),
      );
      return session.result();
    }),
  );
}

function textOfSystem(request: GenerateRequest | undefined): string {
  const system = request?.messages.find(({ role }) => role === "system");
  return (system?.content ?? []).map(({ text }) => text ?? "").join("\n");
}
