import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Json, Message } from "../protocol/index.ts";
import type { ChatAgent, ChatOptions } from "./chat-agent.ts";
import { ChatController } from "./chat-controller.ts";
import type { ChatState } from "./chat-state.ts";

/** A chat as a component uses it. */
export interface Chat<Custom> extends ChatState<Custom> {
  /** Sends a message: at once, or when the turn under way has ended and nothing waits for a person. */
  readonly send: (message: string | Message) => void;
  /** Drops what waits for a person: each request is denied, so that no tool runs and the model is told. Queued messages are sent after that. */
  readonly denyAll: (reason?: string) => void;
  /** Aborts the turn under way. */
  readonly stop: () => void;
  /** Lets the turn under way go on without listening to it. */
  readonly detach: () => void;
  /** Comes back to it. */
  readonly rejoin: () => void;
}

/**
 * A chat with an agent. The agent must be the same one at every render; another one, or another session, is another chat. Comes back after a reload to
 * the session it was in and to a turn that has not ended.
 */
export function useAgent<Custom = Json, Output = Json>(
  agent: ChatAgent<Custom, Output>,
  options: ChatOptions = {},
): Chat<Custom> {
  const { sessionId, storageKey } = options;
  const controller = useMemo(
    () => new ChatController<Custom, Output>(agent, options),
    // The other options are those of the first render: they are written anew each time.
    [agent, sessionId, storageKey],
  );
  const { subscribe, getState, start, leave } = controller;
  useEffect(() => {
    start();
    return leave;
  }, [start, leave]);
  const state = useSyncExternalStore(subscribe, getState, getState);
  return useMemo(() => {
    const { send, denyAll, stop, detach } = controller;
    return { ...state, send, denyAll, stop, detach, rejoin: start };
  }, [controller, state, start]);
}
