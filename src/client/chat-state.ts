import type { Artifact, Message } from "../protocol/index.ts";
import type { Interrupt } from "./interrupts.ts";

/** What a chat is doing. `interrupted`: the agent waits for a person's answer. `detached`: it goes on while nobody listens. */
export type ChatStatus = "idle" | "sending" | "streaming" | "interrupted" | "failed" | "detached";

/** A chat as it is shown. A new object whenever something changes. */
export interface ChatState<Custom> {
  readonly status: ChatStatus;
  /** All that was said, with the turn that is being said. */
  readonly messages: readonly Message[];
  /** The agent's own state, live. */
  readonly state: Custom | undefined;
  readonly artifacts: readonly Artifact[];
  /** Tools that wait for a person, however the last turn ended. */
  readonly interrupts: readonly Interrupt[];
  /** What is sent when the turn has ended and nothing waits for a person. */
  readonly queued: readonly Message[];
  readonly error: unknown;
  readonly sessionId: string | undefined;
}

export const EMPTY_CHAT: ChatState<never> = {
  status: "idle",
  messages: [],
  state: undefined,
  artifacts: [],
  interrupts: [],
  queued: [],
  error: undefined,
  sessionId: undefined,
};

/** A later artifact of the same name takes the place of the earlier one. */
export function withArtifacts(
  artifacts: readonly Artifact[],
  added: readonly Artifact[],
): readonly Artifact[] {
  const names = new Set(added.map(({ name }) => name));
  const others = artifacts.filter(({ name }) => name === undefined || !names.has(name));
  return [...others, ...added];
}
