import { changedContent, freezeJson, type SessionContent } from "../ledger/index.ts";
import type { AgentInput } from "../protocol/index.ts";
import type { Session } from "./session.ts";

/** The session with an input in it: its message, and what the prompt is rendered with where the input starts the session. */
export function takenIn<Custom>(
  session: Session<Custom>,
  { message, promptInput }: AgentInput,
): SessionContent {
  const { content } = session;
  const isNew = content.messages.length === 0 && content.promptInput === undefined;
  if (isNew && promptInput !== undefined) session.setPromptInput(promptInput);
  if (message === undefined) return session.content;
  const messages = content.messages.grow([freezeJson(message)]);
  session.restore(changedContent(session.content, { messages }));
  return session.content;
}
