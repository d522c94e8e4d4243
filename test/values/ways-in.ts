import {
  type AgentInput,
  type AgentTools,
  defineCustomAgent,
  type LocalAgent,
  type SessionStore,
  TurnkeepError,
  type TurnContext,
} from "turnkeep";

/** What a turn does with a value. */
type InTurn = (tools: AgentTools<never, never>, turn: TurnContext) => unknown;

/** An agent whose turns do what each test says, and the same session as another process sees it. */
export interface Bench {
  /** Takes a turn in a new session and answers with its snapshot, read by the other process. Throws the error of a turn that fails. */
  readonly turn: (work: InTurn) => Promise<Read>;
  readonly agent: LocalAgent;
  readonly other: LocalAgent;
  /** The rows of steps that were written, as JSON. */
  readonly steps: readonly string[];
  readonly nextSession: () => string;
}

type Read = Awaited<ReturnType<LocalAgent["getSnapshot"]>>;

/** Puts the value in and answers with what comes out again. */
export type WayIn = (bench: Bench, value: never) => Promise<unknown>;

/** Every way by which a value gets into a store. A new one is one line here. */
export const WAYS_IN: Readonly<Record<string, WayIn>> = {
  input: async ({ agent, other, nextSession }, value) => {
    const message = { role: "user", content: [{ text: "a" }], metadata: { value } };
    const sessionId = nextSession();
    await agent.run({ message } as AgentInput, { sessionId });
    return (await other.getLatestSnapshot(sessionId)).state?.messages?.[0]?.metadata?.["value"];
  },
  message: async ({ turn }, value) => {
    const message = { role: "model", content: [{ text: "b" }], metadata: { value } } as const;
    const { state } = await turn(({ session }) => session.addMessages(message));
    return state?.messages?.at(-1)?.metadata?.["value"];
  },
  state: async ({ turn }, value) => {
    const { state } = await turn(({ session }) => session.setCustom({ value } as never));
    return (state?.custom as { value?: unknown })?.value;
  },
  artifact: async ({ turn }, value) => {
    const artifact = { name: "a", parts: [{ text: "a" }], metadata: { value } };
    const { state } = await turn(({ session }) => session.addArtifacts(artifact));
    return state?.artifacts?.[0]?.metadata?.["value"];
  },
  "prompt input": async ({ turn }, value) => {
    const { state } = await turn(({ session }) => session.setPromptInput({ value }));
    return (state?.promptInput as { value?: unknown })?.value;
  },
  usage: async ({ turn }, value) => (await turn(() => ({ usage: { value } }))).usage?.["value"],
  "finish reason": async ({ turn }, value) =>
    (await turn(() => ({ finishReason: value }))).finishReason,
  "error message": async ({ agent, other, nextSession }, value) => {
    const thrown = typeof value === "string" ? new Error(value) : value;
    const error = await errorOf({ agent, other, sessionId: nextSession() }, thrown);
    return error?.message;
  },
  "error details": async ({ agent, other, nextSession }, value) => {
    const thrown = new TurnkeepError("ABORTED", "no", { details: { value } });
    const error = await errorOf({ agent, other, sessionId: nextSession() }, thrown);
    const details = error?.details as { value?: unknown; detailsError?: string } | undefined;
    // The error is kept, and says what of it is not.
    if (details?.detailsError) throw new TurnkeepError("INVALID_ARGUMENT", details.detailsError);
    return details?.value;
  },
  "step input": async ({ turn, steps }, value) => {
    await turn((_, { step }) => step({ name: "look", input: { value } }, () => null));
    return (JSON.parse(steps.at(-2) ?? "") as { input: { value: unknown } }).input.value;
  },
  "step result": async ({ turn, steps }, value) => {
    await turn((_, { step }) => step({ name: "look", input: null }, () => ({ value })));
    return (JSON.parse(steps.at(-1) ?? "") as { output: { value: unknown } }).output.value;
  },
  "step error": async ({ turn, steps }, value) => {
    const fail = (): never => {
      throw new TurnkeepError("ABORTED", "no", { details: { value } });
    };
    await turn((_, { step }) => step({ name: "look", input: null }, fail).catch(() => {}));
    const { error } = JSON.parse(steps.at(-1) ?? "") as {
      error: { turnkeep: { details: { value?: unknown; detailsError?: string } } };
    };
    const { details } = error.turnkeep;
    if (details.detailsError) throw new TurnkeepError("INVALID_ARGUMENT", details.detailsError);
    return details.value;
  },
  status: async ({ turn, other }, value) => {
    const { sessionId } = await turn(({ respond }) => respond.status(value));
    const [run] = await other.inspector.listRuns(sessionId ?? "");
    for await (const { chunk } of other.attach(run?.runId ?? ""))
      if (chunk?.status !== undefined) return chunk.status;
    return undefined;
  },
  title: async ({ turn, agent, other }, title) => {
    const { sessionId = "" } = await turn(() => {});
    await agent.label(sessionId, { about: { title } });
    return (await other.inspector.getSession(sessionId)).title;
  },
  tag: async ({ turn, agent, other }, tag) => {
    const { sessionId = "" } = await turn(() => {});
    await agent.label(sessionId, { about: { tags: [tag] } });
    return (await other.inspector.getSession(sessionId)).tags[0];
  },
  metadata: async ({ agent, other, nextSession }, value) => {
    const sessionId = nextSession();
    await agent.runText("a", { sessionId, metadata: { value } });
    return (await other.inspector.getSession(sessionId)).metadata["value"];
  },
  "metadata, noted": async ({ turn, agent, other }, value) => {
    const { sessionId = "" } = await turn(() => {});
    await agent.label(sessionId, { about: { metadata: { value } } });
    return (await other.inspector.getSession(sessionId)).metadata["value"];
  },
  label: async ({ turn, agent, other }, label) => {
    const { sessionId = "", snapshotId } = await turn(() => {});
    await agent.label(sessionId, { label, snapshotId });
    return (await other.inspector.getSession(sessionId)).labels[0]?.name;
  },
  "session id": async ({ agent, other }, sessionId) => {
    await agent.runText("a", { sessionId });
    return (await other.getLatestSnapshot(sessionId)).sessionId;
  },
  tenant: async ({ agent, other }, tenant) => {
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "of-tenant", tenant });
    await other.getSnapshot(snapshotId, { tenant });
    return tenant;
  },
  "request id": async ({ agent, other, nextSession }, requestId) => {
    const call = { sessionId: nextSession(), requestId };
    const { snapshotId } = await agent.runText("a", call);
    return (await other.runText("a", call)).snapshotId === snapshotId ? requestId : "twice";
  },
};

async function errorOf(
  { agent, other, sessionId }: Pick<Bench, "agent" | "other"> & { readonly sessionId: string },
  thrown: unknown,
): Promise<{ readonly message: string; readonly details?: unknown } | undefined> {
  WORK.set(sessionId, () => {
    throw thrown;
  });
  const { snapshotId = "" } = await agent.runText("a", { sessionId });
  return (await other.getSnapshot(snapshotId)).error;
}

// What the turn of a session does.
const WORK = new Map<string, InTurn>();

/** `open` opens one more store on the same data. */
export async function openBench(open: () => Promise<SessionStore>): Promise<Bench> {
  const steps: string[] = [];
  const store = watchSteps(await open(), steps);
  const agent = valueAgent(store);
  const other = valueAgent(await open());
  let sessions = 0;
  const nextSession = (): string => `s-${(sessions += 1)}`;
  return {
    agent,
    other,
    steps,
    nextSession,
    turn: async (work) => {
      const sessionId = nextSession();
      WORK.set(sessionId, work);
      const { finishReason, error, snapshotId = "" } = await agent.runText("a", { sessionId });
      if (finishReason !== "failed") return await other.getSnapshot(snapshotId);
      throw new TurnkeepError(error?.status ?? "UNKNOWN", error?.message ?? "");
    },
  };
}

function valueAgent(store: SessionStore): LocalAgent {
  return defineCustomAgent({ name: "values", store }, async (tools) => {
    const { session } = tools;
    await session.run(async (_, turn) => {
      const done = await WORK.get(session.sessionId)?.(tools as never, turn);
      return done ?? {};
    });
  });
}

function watchSteps(store: SessionStore, steps: string[]): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "append") return member.bind(target) as unknown;
      const append: SessionStore["append"] = (appends) => {
        for (const { key, value } of appends.flatMap(({ rows }) => rows))
          if (key.startsWith("step/")) steps.push(value);
        return target.append(appends);
      };
      return append;
    },
  });
}
