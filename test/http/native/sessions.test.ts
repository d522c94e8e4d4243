import { describe, expect, it } from "vitest";
import { echoAgent } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { slowAgent } from "../../agent/life/slow-agent.ts";
import { gateOf } from "../../agent/life/waiting.ts";
import { byToken, run, served } from "../serving.ts";

const LINES = { "content-type": "application/x-ndjson" };

describe.each(STORES)("sessions over HTTP and %s", (_, open) => {
  it("are listed page by page", async () => {
    const agent = echoAgent({ store: await open() });
    for (let number = 0; number < 7; number += 1) {
      await agent.runText("hi", { sessionId: `s${number}` });
    }
    const { ask } = await served([agent]);
    const seen: string[] = [];
    for (let after = ""; ;) {
      const { body } = await ask(`/agents/echo/sessions?limit=3${after}`);
      seen.push(...body.sessions.map(({ sessionId }: { sessionId: string }) => sessionId));
      if (body.next === undefined) break;
      after = `&after=${encodeURIComponent(body.next)}`;
    }
    expect(seen.toSorted()).toEqual(["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    expect((await ask("/agents/echo/sessions?limit=5000")).body.sessions).toHaveLength(7);
    for (const query of ["limit=x", "limit=-1", "limit=0", "after=nonsense", "activity=lazy"]) {
      expect((await ask(`/agents/echo/sessions?${query}`)).status, query).toBe(400);
    }
  });

  it("are listed by what they do", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await open() }, (text) =>
      text === "wait" ? gate.promise : undefined,
    );
    const { ask } = await served([agent]);
    await agent.runText("now", { sessionId: "idle" });
    await ask("/agents/slow/runs", { body: run("wait", { init: { sessionId: "busy" } }) });
    const { body: active } = await ask("/agents/slow/sessions?activity=active");
    const { body: idle } = await ask("/agents/slow/sessions?activity=idle");
    expect(active.sessions).toEqual([
      expect.objectContaining({ sessionId: "busy", status: "active" }),
    ]);
    expect(idle.sessions).toEqual([
      expect.objectContaining({ sessionId: "idle", messageCount: 2 }),
    ]);
    gate.open();
  });

  it("show their latest snapshot and their tree", async () => {
    const agent = echoAgent({ store: await open() });
    const first = await agent.runText("a", { sessionId: "ä/b" });
    const second = await agent.runText("b", { sessionId: "ä/b" });
    const { ask } = await served([agent]);
    const at = `/agents/echo/sessions/${encodeURIComponent("ä/b")}`;
    const { body: latest } = await ask(at);
    expect(latest).toMatchObject({ snapshotId: second.snapshotId, sessionId: "ä/b" });
    expect(latest.state.messages).toHaveLength(4);
    const { body: tree } = await ask(`${at}/snapshots`);
    expect(tree.snapshots).toEqual([
      expect.objectContaining({ snapshotId: first.snapshotId }),
      expect.objectContaining({ snapshotId: second.snapshotId, parentId: first.snapshotId }),
    ]);
    expect((await ask("/agents/echo/sessions/none")).status).toBe(404);
    expect((await ask("/agents/echo/sessions/none/snapshots")).body).toEqual({ snapshots: [] });
    expect((await ask("/agents/echo/sessions/%E0%A4%A")).status).toBe(404);
    expect((await ask("/agents/echo/sessions/%20")).status).toBe(400);
  });

  it("are deleted with all they hold", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("a", { sessionId: "s" });
    const { ask } = await served([agent]);
    const at = "/agents/echo/sessions/s";
    expect((await ask(at, { method: "DELETE" })).body).toEqual({
      deleted: true,
      sessionId: "s",
      linked: [],
    });
    expect((await ask(at, { method: "DELETE" })).status).toBe(404);
    expect((await ask(at)).status).toBe(404);
  });

  it("are noted on, and found by what was noted", async () => {
    const agent = echoAgent({ store: await open() });
    const { ask } = await served([agent]);
    for (const [sessionId, userId] of [
      ["a", "ada"],
      ["b", "bo"],
    ]) {
      const init = { sessionId, metadata: { userId } };
      await ask("/agents/echo/runs", {
        body: run("hi", { init }),
        headers: { accept: "text/event-stream" },
      });
    }
    const found = async (metadata: unknown): Promise<unknown> => {
      const query = new URLSearchParams({ metadata: JSON.stringify(metadata) });
      const { body } = await ask(`/agents/echo/sessions?${query}`);
      return body.sessions?.map(({ sessionId }: { sessionId: string }) => sessionId);
    };
    expect(await found({ userId: "ada" })).toEqual(["a"]);
    // As Genkit's clients start a turn.
    const message = { role: "user", content: [{ text: "hi" }] };
    const init = { sessionId: "g", metadata: { userId: "gil" } };
    await ask("/agents/echo", { body: { data: { message }, init } });
    expect(await found({ userId: "gil" })).toEqual(["g"]);
    const patched = await ask("/agents/echo/sessions/b", {
      method: "PATCH",
      body: { title: "Tea", metadata: { userId: "ada", rating: 5 } },
    });
    expect(patched.body).toEqual({
      sessionId: "b",
      title: "Tea",
      tags: [],
      metadata: { userId: "ada", rating: 5 },
    });
    expect(((await found({ userId: "ada" })) as string[]).toSorted()).toEqual(["a", "b"]);
    const refused = await ask("/agents/echo/sessions/b", { method: "PATCH", body: { name: "x" } });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.message).toContain("Unknown request field `name`");
    expect((await ask("/agents/echo/sessions/none", { method: "PATCH", body: {} })).status).toBe(
      404,
    );
    for (const query of ["metadata=x", "metadata=[1]", "metadata=1"]) {
      expect((await ask(`/agents/echo/sessions?${query}`)).status, query).toBe(400);
    }
  });

  it("are labelled and pinned", async () => {
    const agent = echoAgent({ store: await open() });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    const { ask } = await served([agent]);
    const label = (body: unknown) => ask("/agents/echo/sessions/s/labels", { body });
    for (const body of [
      { label: "good", snapshotId },
      { pin: snapshotId },
      { unpin: snapshotId },
      { removeLabel: "good" },
    ]) {
      expect((await label(body)).body).toEqual({ labelled: true });
    }
    for (const body of [
      {},
      [],
      { label: "" },
      { label: "x", snapshotId: 7 },
      { label: "x", pin: "y" },
    ]) {
      expect((await label(body)).status).toBe(400);
    }
    expect((await label({ pin: "s.none" })).status).toBe(404);
  });

  it("are exported and imported, as files", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("a", { sessionId: "s" });
    await agent.runText("b", { sessionId: "s" });
    const { ask } = await served([agent], { auth: byToken });
    await moved();
    async function moved(): Promise<void> {
      const as = "acme/ann";
      await ask("/agents/echo/runs", { as, body: run("a", { init: { sessionId: "s" } }) });
      const { headers, text } = await ask("/agents/echo/sessions/s/export", { as });
      expect(headers.get("content-type")).toBe("application/x-ndjson");
      expect(text.split("\n").length).toBeGreaterThan(2);
      expect(text.endsWith("\n")).toBe(true);
      expect(text).not.toContain("\n\n");
      const at = "/agents/echo/sessions/t/import";
      const put = { body: text, headers: LINES };
      expect((await ask(at, { ...put, as })).status).toBe(403);
      const operator = `${as}/operator`;
      const { status, body } = await ask(at, { ...put, as: operator });
      expect([status, body.kind]).toEqual([201, "imported"]);
      expect((await ask(at, { ...put, as: operator })).status).toBe(409);
      const cut = { body: text.slice(0, -20), headers: LINES, as: operator };
      expect((await ask("/agents/echo/sessions/u/import", cut)).status).toBe(400);
      expect((await ask(at, { body: text, as: operator })).status).toBe(415);
      const { body: there } = await ask("/agents/echo/sessions/t", { as });
      expect(there.snapshotId).toBe(body.head);
    }
  });

  it("are imported up to a limit of their own", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("word ".repeat(20_000), { sessionId: "long" });
    const lines: string[] = [];
    for await (const line of agent.exportSession("long")) lines.push(`${line.trimEnd()}\n`);
    const asked = { body: lines.join(""), headers: LINES, as: "acme/ann/operator" };
    const auth = byToken;
    const narrow = await served([agent], { auth, limits: { importBytes: 100_000 } });
    expect((await narrow.ask("/agents/echo/sessions/copy/import", asked)).status).toBe(413);
    const { ask } = await served([agent], { auth, limits: { bodyBytes: 1000 } });
    expect((await ask("/agents/echo/sessions/copy/import", asked)).status).toBe(201);
  });

  it("name the run of their turn under way, which anybody may then follow", async () => {
    const gate = gateOf();
    const { ask } = await served([slowAgent({ store: await open() }, () => gate.promise)]);
    const { body } = await ask("/agents/slow/runs", {
      body: run("go", { init: { sessionId: "s" } }),
    });
    const { body: listed } = await ask("/agents/slow/sessions/s/snapshots");
    expect(listed.snapshots).toMatchObject([{ status: "pending", runId: body.runId }]);
    gate.open();
    const { text } = await ask(`/agents/slow/runs/${listed.snapshots[0].runId}/events`);
    expect(text).toContain("event: result");
    const { body: ended } = await ask("/agents/slow/sessions/s");
    expect(ended).toMatchObject({ status: "completed", runId: body.runId });
  });

  it("are exported by operators only where something is hidden", async () => {
    const transformState = <State>(state: State): State => ({ ...state, messages: [] });
    const agent = echoAgent({ store: await open(), transformState });
    const { ask } = await served([agent], { auth: byToken });
    const as = "acme/ann";
    const { body } = await ask("/agents/echo", {
      as,
      body: { data: { message: { role: "user", content: [{ text: "canary" }] } } },
    });
    const at = `/agents/echo/sessions/${body.result.sessionId}`;
    expect((await ask(at, { as })).text).not.toMatch(/canary/i);
    expect((await ask(`${at}/export`, { as })).status).toBe(403);
    expect((await ask("/agents/echo/sessions/none/export", { as })).status).toBe(403);
    const { status, text } = await ask(`${at}/export`, { as: `${as}/operator` });
    expect(status).toBe(200);
    expect(text).toContain("CANARY");
    expect((await ask("/agents/echo/sessions/none/export", { as: `${as}/operator` })).status).toBe(
      404,
    );
  });
});
