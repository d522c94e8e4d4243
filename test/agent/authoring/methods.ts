import type { Agent, CallOptions, LocalAgent, ReadOptions, SessionStore } from "turnkeep";
import { user } from "../agents.ts";
import { agentOf, collect, model } from "./turns.ts";

export const CANARY = "canary-4711";

export interface Secretive {
  secret: string;
  shown: number;
}

/** A session with two turns, kept raw, and an agent to ask about it. */
export interface World {
  readonly agent: LocalAgent<Secretive>;
  readonly sessionId: string;
  readonly earlierId: string;
  readonly snapshotId: string;
  readonly runId: string;
}

export type MethodName = AgentMethodName | "findOutput" | "followRun" | "joinRun";

type AgentMethodName = {
  [Name in keyof Agent]: Agent[Name] extends (...values: never[]) => unknown ? Name : never;
}[keyof Agent] &
  string;

type Options = CallOptions<Secretive> & ReadOptions;

/** Calls each method of an agent about the session in every way it answers, and gives back all it answered with. */
export const CALLS: Readonly<
  Record<MethodName, (world: World, options: Options) => Promise<unknown>>
> = {
  run: async ({ agent, sessionId }, options) =>
    await agent.run(user("more"), { ...options, sessionId }),
  runText: async ({ agent, snapshotId }, options) => [
    await agent.runText("more", { ...options, snapshotId, requestId: "r" }),
    // Answered from what is kept.
    await agent.runText("more", { ...options, snapshotId, requestId: "r" }),
  ],
  stream: async ({ agent, sessionId }, options) => {
    const { chunks, output, runId } = agent.stream(user("more"), { ...options, sessionId });
    return [runId, await collect(chunks), await output];
  },
  streamText: async ({ agent, sessionId }, options) => {
    const { chunks, output } = agent.streamText("more", { ...options, sessionId });
    return [await collect(chunks), await output];
  },
  connect: async ({ agent, sessionId }, options) => {
    const connection = agent.connect({ ...options, sessionId });
    const seen: unknown[] = [];
    for (const text of ["more", "and more"]) {
      await connection.sendText(text);
      for await (const update of connection.events()) {
        seen.push(update, connection.custom());
        if (update.type === "turnEnd") break;
      }
    }
    return [seen, await connection.output(), await connection.done];
  },
  getOutput: async ({ agent, snapshotId }, options) => await agent.getOutput(snapshotId, options),
  findOutput: async ({ agent, runId }, options) => await agent.findOutput(runId, options),
  detach: async ({ agent, sessionId }, options) => {
    const { wait, abort, ...detached } = await agent.detach(user("more"), {
      ...options,
      sessionId,
    });
    return [detached, await wait(), await abort()];
  },
  attach: async ({ agent, runId }, options) => [
    await collect(agent.attach(runId, options)),
    await collect(agent.attach(runId, { ...options, after: 2 })),
  ],
  followRun: async ({ agent, runId }, options) => [
    await collect(agent.followRun(runId, options)),
    await collect(agent.followRun(runId, { ...options, after: 2 })),
  ],
  joinRun: async ({ agent, runId }, options) => {
    const told: unknown[] = [];
    const joined = await agent.joinRun(runId, options, (page) => told.push(page) > 0);
    // Who is shown something else than others reads by itself.
    const own = joined ? await joined.end : await collect(agent.followRun(runId, options));
    return [told, own];
  },
  waitFor: async ({ agent, snapshotId }, options) => await agent.waitFor(snapshotId, options),
  abort: async ({ agent, snapshotId, runId }, options) => [
    await agent.abort(snapshotId, options),
    await agent.abort(runId, options),
  ],
  getSnapshot: async ({ agent, snapshotId }, options) =>
    await agent.getSnapshot(snapshotId, options),
  getLatestSnapshot: async ({ agent, sessionId }, options) =>
    await agent.getLatestSnapshot(sessionId, options),
  listSnapshots: async ({ agent, sessionId }, options) =>
    await agent.listSnapshots(sessionId, options),
  listSessions: async ({ agent }, options) => await agent.listSessions(options),
  fork: async ({ agent, snapshotId }, options) =>
    await agent.fork(snapshotId, { ...options, sessionId: "forked" }),
  diff: async ({ agent, earlierId, snapshotId }, options) =>
    await agent.diff(earlierId, snapshotId, options),
  label: async ({ agent, sessionId, snapshotId }, options) => [
    await agent.label(sessionId, { label: "good", snapshotId }, options),
    await agent.label(sessionId, { pin: snapshotId }, options),
  ],
  deleteSession: async ({ agent, sessionId }, options) =>
    await agent.deleteSession(sessionId, options),
  exportSession: async ({ agent, sessionId }, options) =>
    await collect(agent.exportSession(sessionId, options)),
  importSession: async ({ agent, sessionId }, options) =>
    await agent.importSession(
      "imported",
      await collect(agent.exportSession(sessionId, options)),
      options,
    ),
};

export const METHODS: readonly MethodName[] = Object.keys(CALLS) as MethodName[];

/** What every turn of the agents here does: says its secret in every way there is. */
export function confide(options: Parameters<typeof agentOf<Secretive>>[0]): LocalAgent<Secretive> {
  return agentOf<Secretive>(options, ({ session, respond }) => {
    const shown = session.custom()?.shown ?? 0;
    respond.text(CANARY);
    respond.status({ status: CANARY });
    session.setCustom({ secret: CANARY, shown });
    session.updateCustom((draft) => {
      draft.secret = `${CANARY}-${shown}`;
      draft.shown += 1;
    });
    respond.artifact({ name: `a${shown}`, parts: [{ text: CANARY }] });
    session.setPromptInput(CANARY);
    session.addMessages(model(`${CANARY}-${shown}`));
    return { finishReason: "stop" };
  });
}

/** Two turns of an agent that hides nothing; then `agent` is asked. */
export async function worldOf(
  store: SessionStore,
  agent: LocalAgent<Secretive>,
  tenant = "local",
): Promise<World> {
  // What turns start from is written down only where there is a transform that may decide by it.
  const open = confide({ store, tenant, transformState: (state) => state });
  const connection = open.connect({ sessionId: "s" });
  const ids: string[] = [];
  for (const text of [`${CANARY} one`, `${CANARY} two`]) {
    await connection.sendText(text);
    for await (const { turnEnd } of connection.receive()) {
      if (turnEnd) {
        ids.push(turnEnd.snapshotId!);
        break;
      }
    }
  }
  await connection.output();
  const [earlierId = "", snapshotId = ""] = ids;
  return { agent, sessionId: "s", earlierId, snapshotId, runId: connection.runId };
}
