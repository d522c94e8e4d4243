import type { Action, z } from "genkit";
import type { AgentInputSchema, AgentOutputSchema, AgentStreamChunkSchema } from "genkit/beta";
import type { Json, LocalAgent } from "../agent/index.ts";
import { type AgentChat, type ChatStart, loadChat, startChat } from "./agent-chat.ts";
import type { AgentActions } from "./companion-actions.ts";
import type {
  AgentAbortRequest,
  AgentAbortResponse,
  GetSnapshotRequest,
  SessionSnapshot,
} from "../protocol/index.ts";

/** An agent as one of Genkit's actions. */
export type AgentAction = Action<
  typeof AgentInputSchema,
  typeof AgentOutputSchema,
  typeof AgentStreamChunkSchema
>;

/** An action that answers a request about an agent's snapshots. */
export type CompanionAction<Request, Response> = Action<z.ZodType<Request>, z.ZodType<Response>>;

/** What agents on Genkit have besides what every agent has. The actions are those that Genkit's registry knows; without a store they are absent. */
export interface GenkitAgentMembers<Custom = Json, Output = Json, Input = Json> {
  /**
   * Renders the agent's prompt once, with the agent's own input. Rejects with INVALID_ARGUMENT when it cannot be rendered: when a partial is missing,
   * say. `definePromptAgent` has done so when it resolves.
   *
   * @example
   * await support.ready(); // at start-up, before the first user comes
   */
  readonly ready: () => Promise<void>;
  /** Reads a snapshot: `app.post("/support/getSnapshot", expressHandler(support.getSnapshotAction!))`. */
  readonly getSnapshotAction:
    | CompanionAction<GetSnapshotRequest, SessionSnapshot<Custom>>
    | undefined;
  /** Aborts the turn that ends in a snapshot. */
  readonly abortAction: CompanionAction<AgentAbortRequest, AgentAbortResponse> | undefined;
  /** Waits for the end of the turn that ends in a snapshot. */
  readonly waitForSnapshotAction:
    | CompanionAction<AgentAbortRequest, SessionSnapshot<Custom>>
    | undefined;
  /** `getSnapshotAction`, by the name that Genkit's own agents have for it. */
  readonly getSnapshotDataAction: GenkitAgentMembers<Custom>["getSnapshotAction"];
  /** `abortAction`, by the name that Genkit's own agents have for it. */
  readonly abortAgentAction: GenkitAgentMembers["abortAction"];
  /**
   * Starts a conversation that remembers where it is: in a new session, in the one named, or from the state given.
   *
   * @example
   * const chat = support.chat({ sessionId: "user-42" });
   * await chat.send("Where is my order?");
   * await chat.send("And the other one?");
   */
  readonly chat: (start?: ChatStart<Custom, Input>) => AgentChat<Custom, Output>;
  /**
   * Goes on with a conversation that a store holds, from the session's head or from a snapshot.
   *
   * @throws TurnkeepError NOT_FOUND when there is none.
   */
  readonly loadChat: (
    lookup: { readonly snapshotId: string } | { readonly sessionId: string },
  ) => Promise<AgentChat<Custom, Output>>;
}

/** An agent that is one of Genkit's actions too, so that whatever serves actions serves it: `expressHandler(agent)`. */
export type GenkitAgent<Custom = Json, Output = Json, Input = Json, Status = Json> = LocalAgent<
  Custom,
  Output,
  Input,
  Status
> &
  AgentAction &
  GenkitAgentMembers<Custom, Output, Input>;

export interface GenkitAgentParts {
  readonly actions: AgentActions;
  readonly ready: () => Promise<void>;
  /** Called when the agent is closed. */
  readonly closed: () => void;
}

/**
 * The agent as an action: callable, with all that the agent can do. `run` and `stream` take the options of either; those of Genkit's, with `init`,
 * `onChunk` or `abortSignal`, are answered as Genkit's actions answer.
 */
export function toGenkitAgent<Custom, Output, Input, Status>(
  agent: LocalAgent<Custom, Output, Input, Status>,
  { actions, ready, closed }: GenkitAgentParts,
): GenkitAgent<Custom, Output, Input, Status> {
  const plain = agent as unknown as LocalAgent<Custom, Output, Input>;
  const { agent: action, getSnapshot, abort, waitForSnapshot } = actions;
  const own: Readonly<Record<string, unknown>> = {
    __action: action.__action,
    streamBidi: action.streamBidi,
    run: (input: never, options?: object) =>
      isForAction(options) ? action.run(input, options) : agent.run(input, options),
    stream: (input: never, options?: object) =>
      isForAction(options) ? action.stream(input, options) : agent.stream(input, options),
    close: (options?: { readonly handOverMs?: number }) => {
      closed();
      return agent.close(options);
    },
    ready,
    getSnapshotAction: getSnapshot,
    getSnapshotDataAction: getSnapshot,
    abortAction: abort,
    abortAgentAction: abort,
    waitForSnapshotAction: waitForSnapshot,
    chat: (start?: ChatStart<Custom, Input>) => startChat(plain, start),
    loadChat: (lookup: { readonly snapshotId: string } | { readonly sessionId: string }) =>
      loadChat(plain, lookup),
  };
  const callable = (input?: unknown, options?: object): unknown => action(input, options);
  return Object.defineProperties(callable, {
    ...membersOf(agent),
    ...Object.getOwnPropertyDescriptors(own),
  }) as unknown as GenkitAgent<Custom, Output, Input, Status>;
}

// What Genkit's servers pass, and callers of agents do not.
const ACTION_OPTIONS = ["init", "abortSignal", "onChunk", "inputStream", "onTraceStart"];

function isForAction(options: object | undefined): boolean {
  return options !== undefined && ACTION_OPTIONS.some((name) => name in options);
}

// A class with private members works on its own instances only, so everything is bound to the agent.
function membersOf(agent: object): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = {};
  for (
    let owner = agent;
    owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner) as object
  ) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (name !== "constructor" && !(name in members)) members[name] = boundTo(agent, member);
    }
  }
  return members;
}

function boundTo(agent: object, member: PropertyDescriptor): PropertyDescriptor {
  const configurable = true;
  if (member.get) return { configurable, get: member.get.bind(agent) };
  const value: unknown = member.value;
  return { configurable, value: typeof value === "function" ? value.bind(agent) : value };
}
