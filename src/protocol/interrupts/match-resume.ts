import { jsonEqual } from "../patch/json-equal.ts";
import type { Resume } from "../shapes/agent-input.ts";
import type { Message } from "../shapes/message.ts";
import type { Part, ToolRequest, ToolRequestPart, ToolResponsePart } from "../shapes/part.ts";
import { TurnkeepError } from "../turnkeep-error.ts";

/**
 * Checks a resume against the conversation, for agents with a loop of their own: each answer must name a tool request that waits, each of those must be
 * answered, and once. Prompt agents do so by themselves.
 *
 * @example
 * await session.run(({ resume }) => {
 *   if (resume) checkResume(session.messages(), resume);
 * });
 *
 * @throws TurnkeepError INVALID_ARGUMENT for an answer that is forged, settled already, altered or missing.
 */
export function checkResume(messages: readonly Message[], resume: Resume): void {
  matchResume(messages, resume);
}

/** @internal An answer, and the request of the last message that it settles. */
export interface MatchedAnswer<Answer> {
  readonly request: ToolRequestPart;
  readonly answer: Answer;
}

/** @internal The answers of a resume with the requests that they settle. */
export interface MatchedResume {
  readonly respond: readonly MatchedAnswer<ToolResponsePart>[];
  readonly restart: readonly MatchedAnswer<ToolRequestPart>[];
}

/**
 * @internal Finds the request that each answer settles.
 *
 * @throws TurnkeepError as {@link checkResume} says.
 */
export function matchResume(messages: readonly Message[], resume: Resume): MatchedResume {
  const open = new Set(openRequests(messages.at(-1)));
  const isNothingOpen = open.size === 0;
  const alike = (request: Named): readonly ToolRequestPart[] =>
    [...open].filter((part) => isSame(part.toolRequest, request));
  const take = (kind: Kind, request: Named, found = alike(request)[0]): ToolRequestPart => {
    if (found === undefined) throw notPending(kind, request, messages);
    open.delete(found);
    return found;
  };
  // First those who say by its input which one they mean.
  const restart = (resume.restart ?? []).map((answer) => {
    const { toolRequest } = answer;
    const meant = alike(toolRequest).find((part) => isSameInput(part.toolRequest, toolRequest));
    const request = take("restart", toolRequest, meant);
    if (!isSameInput(request.toolRequest, toolRequest)) throw altered(toolRequest);
    return { request, answer };
  });
  const respond = (resume.respond ?? []).map((answer) => ({
    request: take("respond", answer.toolResponse),
    answer,
  }));
  const [unanswered] = open;
  if (unanswered) throw unresolved(unanswered);
  if (isNothingOpen) throw nothingPending();
  return { respond, restart };
}

/** @internal The requests of a message that wait for a person, if it is the last of its conversation. */
export function openRequests(message: Message | undefined): readonly ToolRequestPart[] {
  return message?.role === "model" ? message.content.filter(isInterrupted) : [];
}

type Kind = "respond" | "restart";

interface Named {
  readonly name: string;
  readonly ref?: string;
}

function isInterrupted(part: Part): part is ToolRequestPart {
  const interrupt = part.metadata?.["interrupt"];
  return part.toolRequest !== undefined && interrupt !== undefined && interrupt !== false;
}

function isSame(left: Named, right: Named): boolean {
  return left.name === right.name && left.ref === right.ref;
}

function isSameInput(left: ToolRequest, right: ToolRequest): boolean {
  return jsonEqual(left.input ?? null, right.input ?? null);
}

function notPending(kind: Kind, request: Named, messages: readonly Message[]): TurnkeepError {
  const isKnown = messages.some(
    ({ role, content }) =>
      role === "model" &&
      content.some(({ toolRequest }) => toolRequest !== undefined && isSame(toolRequest, request)),
  );
  const why = isKnown ? "is no longer pending" : "was not found in session history";
  return refused(`resume.${kind} references tool ${nameOf(request)}, which ${why}.`);
}

function altered(request: Named): TurnkeepError {
  return refused(
    `resume.restart for tool ${nameOf(request)} has modified inputs that do not match what the model asked for. Send the request back as it came.`,
  );
}

function unresolved({ toolRequest: { name, ref } }: ToolRequestPart): TurnkeepError {
  const request = ref === undefined ? name : `${name}#${ref}`;
  return refused(
    `Unresolved tool request '${request}': answer every interrupted request of the message at once.`,
  );
}

function nothingPending(): TurnkeepError {
  return refused("There is nothing to resume: no tool request waits for an answer.");
}

function nameOf({ name, ref }: Named): string {
  return ref === undefined ? `'${name}'` : `'${name}' (ref: ${ref})`;
}

function refused(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}
