import type { AgentOptions, LocalAgent, SessionState } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { ROUTES } from "../../src/reflection/routes.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { frameOf } from "../http/frames.ts";
import { reflecting, turn } from "./reflecting.ts";
import { ROUTE_CASES } from "./route-cases.ts";

type Secret = { secret?: string; open: string };

const hide = ({ custom, messages = [], artifacts = [], ...rest }: SessionState<Secret>) => ({
  ...rest,
  messages: messages.filter(({ role }) => role !== "model"),
  artifacts: artifacts.map(({ name, ...artifact }) => ({
    ...artifact,
    ...(name !== undefined && { name }),
    parts: [{ text: "hidden" }],
  })),
  ...(custom && { custom: { open: custom.open } }),
});

function secretive(options: Partial<AgentOptions<Secret>> = {}): LocalAgent<Secret> {
  return agentOf<Secret>(
    {
      name: "echo",
      store: new MemoryStore(),
      transformState: hide,
      transformStream: (chunk) => (chunk.modelChunk ? undefined : chunk),
      ...options,
    },
    ({ session, respond }) => {
      respond.text("CANARY");
      session.updateCustom(() => ({ secret: "CANARY", open: "shown" }));
      respond.artifact({ name: "plan", parts: [{ text: "CANARY" }] });
      session.addMessages(model("CANARY"));
      return { finishReason: "stop" };
    },
  );
}

async function stage(agent: LocalAgent<Secret>, options: Parameters<typeof reflecting>[1] = {}) {
  const { runId, output } = agent.streamText("hi", { sessionId: "s", unredacted: true });
  const { snapshotId: snapshot = "" } = await output;
  const ids = { session: "s", snapshot, run: runId, trace: "t", span: "p" };
  return { ...reflecting([agent], options), ids };
}

const READING = ROUTES.filter(({ method, path }) => method === "GET" && path !== "events").map(
  ({ method, path }) => `${method} ${path}`,
);

describe("what an agent hides", () => {
  test("is hidden on every route that reads, and in what is streamed", async () => {
    const { ask, ids } = await stage(secretive());
    for (const name of READING) {
      const { text } = await ask(...ROUTE_CASES[name]!(ids));
      expect(text, name).not.toContain("CANARY");
    }
    const executed = await ask("agents/echo/execute", { body: turn("hi", { stream: true }) });
    expect(executed.text).toContain("shown");
    expect(executed.text).not.toContain("CANARY");
    const answered = await ask("agents/echo/execute", { body: turn("hi") });
    expect(answered.text).not.toContain("CANARY");
    const action = await ask("runAction?stream=true", {
      body: { key: "/agent/echo", input: { message: { role: "user", content: [{ text: "hi" }] } } },
    });
    expect(action.text).not.toContain("CANARY");
  });

  test("is shown where that was asked for twice over", async () => {
    const { ask, ids } = await stage(secretive(), { revealRaw: true });
    const { text } = await ask(`agents/echo/snapshots/${ids.snapshot}`);
    expect(text).toContain("CANARY");
    expect((await ask(`runs/${ids.run}/stream`)).text).toContain("CANARY");
    expect((await ask("agents/echo/sessions/s/export")).text).toContain("CANARY");
    expect((await ask("studio/info")).body.revealRaw).toBe(true);
  });

  test("is not moved with a file, nor brought to light by an edit", async () => {
    const agent = secretive();
    const { ask, ids } = await stage(agent);
    expect((await ask("agents/echo/sessions/s/export")).status).toBe(403);
    const shown = await ask("agents/echo/sessions/s/export?format=json");
    expect(shown.body.snapshots[0].state.custom).toEqual({ open: "shown" });
    const fork = (patch: object) =>
      ask(`agents/echo/snapshots/${ids.snapshot}/fork`, { body: { patch: [patch] } });
    for (const op of ["copy", "move"]) {
      const { status } = await fork({ op, from: "/custom/secret", path: "/custom/open" });
      expect(status).toBe(403);
    }
    const guess = await fork({ op: "test", path: "/custom/secret", value: "CANARY" });
    expect(guess.status).toBe(403);
    // An edit keeps what its author does not see.
    const { body } = await fork({ op: "replace", path: "/custom/open", value: "edited" });
    const kept = await agent.getSnapshot(body.snapshotId, { unredacted: true });
    expect(kept.state?.custom).toEqual({ secret: "CANARY", open: "edited" });
  });

  test("is hidden in what turns were given, too", async () => {
    const agent = secretive();
    const respond = [{ toolResponse: { name: "pay", output: "CANARY" } }];
    const { snapshotId } = await agent.run({ resume: { respond } }, { sessionId: "s" });
    const paths = ["agents/echo/sessions/s/snapshots", `agents/echo/snapshots/${snapshotId}`];
    for (const revealRaw of [false, true]) {
      const { ask } = reflecting([agent], { revealRaw });
      for (const path of paths) {
        const { text } = await ask(path);
        expect(text.includes("toolResponse"), path).toBe(revealRaw);
      }
    }
  });

  test("is hidden in what a turn was given that has not ended", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const agent = agentOf<Secret>(
      {
        name: "echo",
        store: new MemoryStore(),
        transformState: ({ messages = [], ...rest }) => ({
          ...rest,
          messages: messages.map(({ role }) => ({ role, content: [{ text: "hidden" }] })),
        }),
      },
      async ({ respond }) => {
        respond.status("begun");
        await ended;
        return { finishReason: "stop" };
      },
    );
    const run = agent.streamText("CANARY", { sessionId: "s" });
    await run.chunks[Symbol.asyncIterator]().next();
    for (const [revealRaw, text] of [
      [false, "hidden"],
      [true, "CANARY"],
    ] as const) {
      const { open } = reflecting([agent], { revealRaw });
      const { data } = await frameOf(await open(`runs/${run.runId}/stream`), "run");
      expect(data.input.content).toEqual([{ text }]);
    }
    end();
    await run.output;
  });

  test("stays hidden when a transform fails", async () => {
    const { ask, ids, errors } = await stage(
      secretive({
        transformState: () => {
          throw new Error("CANARY");
        },
      }),
    );
    let failed = 0;
    for (const name of READING) {
      const { text, status } = await ask(...ROUTE_CASES[name]!(ids));
      expect(text, name).not.toContain("CANARY");
      if (status === 500) failed += 1;
    }
    expect(failed).toBeGreaterThan(3);
    expect(errors.length).toBeGreaterThanOrEqual(failed);
  });
});
