import { z } from "genkit/beta";
import { TurnkeepError } from "turnkeep";
import { defineAgent, defineCustomAgent, toolCall } from "turnkeep/genkit";
import { applyPatch, diffJson } from "turnkeep/protocol";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../../agent/agents.ts";
import { openStage, toolRequest } from "./document-model.ts";

// Document 001, the change that brings agents to Genkit for Go: state of one's own, streamed and redacted.

describe("001: Live custom state", () => {
  it("streams what a state change changed, first as a whole and then as differences", async () => {
    const { ai, model } = openStage();
    const search = ai.defineTool(
      { name: "search", description: "Searches flights.", outputSchema: z.number() },
      async (_, options) => {
        const session = toolCall<{ step: string; found: number }>(options)?.session;
        session?.updateCustom(() => ({ step: "searching", found: 0 }));
        session?.updateCustom((draft) => {
          draft.found = 3;
        });
        return 3;
      },
    );
    const travel = defineAgent<{ step: string; found: number }>(ai, {
      name: "travel",
      model: model.name,
      tools: [search],
      store: new MemoryStore(),
    });
    model.will([toolRequest("search", {})], "Three flights.");
    const connection = travel.connect();
    await connection.sendText("to Rome");
    const patches: unknown[] = [];
    const steps: unknown[] = [];
    for await (const { customPatch, turnEnd } of connection.receive()) {
      if (customPatch) {
        patches.push(customPatch);
        steps.push(connection.custom());
      }
      if (turnEnd) break;
    }
    expect(patches).toEqual([
      [{ op: "replace", path: "", value: { step: "searching", found: 0 } }],
      [{ op: "replace", path: "/found", value: 3 }],
    ]);
    expect(steps).toEqual([
      { step: "searching", found: 0 },
      { step: "searching", found: 3 },
    ]);
    await connection.output();
  });

  it("streams the state as the client may see it", async () => {
    const { ai } = openStage();
    const agent = defineCustomAgent<{ step: string; key?: string }>(
      ai,
      {
        name: "discreet",
        transformState: (state) => {
          delete state.custom?.key;
          return state;
        },
      },
      async ({ session }) => {
        await session.run(() => session.setCustom({ step: "paying", key: "1234" }));
      },
    );
    const { chunks, output } = agent.streamText("go");
    const patches: unknown[] = [];
    for await (const { customPatch } of chunks) if (customPatch) patches.push(customPatch);
    expect(patches).toEqual([[{ op: "replace", path: "", value: { step: "paying" } }]]);
    expect((await output).state?.custom).toEqual({ step: "paying" });
  });
});

describe("001: Custom-state streaming protocol", () => {
  it("makes patches of add, remove and replace, always in the same order, and applies them", () => {
    const from = { b: 1, gone: true, list: [1] };
    const to = { a: 0, b: 2, list: [1, 2] };
    const patch = diffJson(from, to);
    // In the order of the keys, as Genkit for Go.
    expect(patch.map(({ op, path }) => `${op} ${path}`)).toEqual([
      "add /a",
      "replace /b",
      "remove /gone",
      "add /list/1",
    ]);
    expect(applyPatch(from, patch)).toEqual(to);
    expect(from).toEqual({ b: 1, gone: true, list: [1] });
    expect(diffJson(from, "text")).toEqual([{ op: "replace", path: "", value: "text" }]);
  });
});

describe("001: Custom Session State", () => {
  it("is typed, kept in snapshots and there when the session goes on", async () => {
    const { ai, model } = openStage();
    const chat = defineCustomAgent<{ topics: string[] }>(
      ai,
      { name: "chat", store: new MemoryStore() },
      async ({ session }) => {
        await session.run(async ({ message }) => {
          const { text } = await ai.generate({ model: model.name, prompt: textOf(message) });
          session.addMessages({ role: "model", content: [{ text }] });
          session.updateCustom((custom) => ({
            topics: [...(custom?.topics ?? []), textOf(message)],
          }));
        });
        return session.result();
      },
    );
    await chat.runText("maps", { sessionId: "s" });
    await chat.runText("slices", { sessionId: "s" });
    const { state } = await chat.getLatestSnapshot("s");
    expect(state?.custom?.topics).toEqual(["maps", "slices"]);
  });
});

describe("001: Background Agents, transforms", () => {
  it("redacts what clients see and keeps what was said; the caller's context decides", async () => {
    const { ai, model } = openStage();
    const remember = ai.defineTool(
      { name: "remember", description: "Keeps a card.", inputSchema: z.string() },
      async (card, options) => toolCall<{ card: string }>(options)?.session.setCustom({ card }),
    );
    const chat = defineAgent<{ card: string }>(ai, {
      name: "chat",
      model: model.name,
      tools: [remember],
      store: new MemoryStore(),
      transformState: (state, { auth }) =>
        auth === "clerk" ? state : { ...state, custom: { card: "****" } },
      transformStream: (chunk) => {
        const text = chunk.modelChunk && textOf(chunk.modelChunk);
        // Nothing returned, nothing sent.
        if (text?.includes("4242")) return undefined;
        return chunk;
      },
    });
    model.will([toolRequest("remember", "4242")], "Your card is 4242 indeed.");
    const { chunks, output } = chat.streamText("my card is 4242", { sessionId: "s" });
    const heard: string[] = [];
    for await (const { modelChunk } of chunks) if (modelChunk) heard.push(textOf(modelChunk));
    expect(heard.join("")).toBe("Your card is indeed.");
    await output;
    expect((await chat.getLatestSnapshot("s")).state?.custom).toEqual({ card: "****" });
    const raw = await chat.getLatestSnapshot("s", { context: { auth: "clerk" } });
    expect(raw.state?.custom).toEqual({ card: "4242" });
    // The model goes on from what was really said.
    await chat.runText("thanks", { sessionId: "s" });
    expect(model.shown).toContain("model: Your card is 4242 indeed.");
  });

  it("hides the state altogether, and sends nothing when a transform fails", async () => {
    const { ai, model } = openStage();
    const shy = defineAgent(ai, {
      name: "shy",
      model: model.name,
      store: new MemoryStore(),
      transformState: () => undefined,
    });
    const { snapshotId = "" } = await shy.runText("hello");
    expect((await shy.getSnapshot(snapshotId)).state).toBeUndefined();
    const strict = defineAgent(ai, {
      name: "strict",
      model: model.name,
      store: new MemoryStore(),
      transformState: (state, { auth }) => {
        if (auth === undefined) throw new TurnkeepError("PERMISSION_DENIED", "Who asks?");
        return state;
      },
    });
    const context = { auth: "ada" };
    const output = await strict.runText("hello", { context });
    const refused = { status: "PERMISSION_DENIED", reason: "REDACTION_FAILED" };
    await expect(strict.getSnapshot(output.snapshotId!)).rejects.toMatchObject(refused);
    await expect(strict.runText("hello")).rejects.toMatchObject(refused);
    const { state } = await strict.getSnapshot(output.snapshotId!, { context });
    expect(textsOf(state)).toEqual(["hello", "answer 1"]);
  });
});
