import {
  type Message,
  type Part,
  type Resume,
  type ToolRequestPart,
  TurnkeepError,
} from "../protocol/index.ts";

/** How an open request was settled: the tool may run, or somebody answered in its place. */
export type Verdict = { readonly run: ToolRequestPart } | { readonly answer: Part };

/** The message at the end of the talk whose requests wait for a person; `undefined` when none does. */
export function findOpen(messages: readonly Message[]): Message | undefined {
  const last = messages.findLast(({ role }) => role !== "user");
  return last?.content.some(isOpen) ? last : undefined;
}

/**
 * What is to be done about each request of a message that waited.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when a request is not answered, or an answer belongs to none.
 */
export function settle(
  waiting: Message,
  { respond = [], restart = [] }: Resume,
): readonly Verdict[] {
  const requests = waiting.content.filter(isRequest);
  const answers = [
    ...respond.map(({ toolResponse }) => toolResponse),
    ...restart.map(({ toolRequest }) => toolRequest),
  ];
  const stray = answers.find(
    (answer) => !requests.some((part) => isOpen(part) && isFor(part, answer)),
  );
  if (stray) throw refused(`No request of "${stray.name}" waits for an answer.`);
  return requests.map((part) => {
    const given = respond.find(({ toolResponse }) => isFor(part, toolResponse));
    if (given) return { answer: given };
    // What stood beside an open request waited with it.
    const mayRun = !isOpen(part) || restart.some(({ toolRequest }) => isFor(part, toolRequest));
    if (mayRun) return { run: part };
    throw refused(
      `"${part.toolRequest.name}" waits for an answer: approve it, deny it or answer in its place.`,
    );
  });
}

/** The talk with all open requests declined, for somebody who speaks of something else. */
export function declineOpen(messages: readonly Message[]): readonly Message[] {
  const waiting = findOpen(messages);
  if (waiting === undefined) return messages;
  const content = waiting.content.filter(isRequest).map(({ toolRequest: { name, ref } }) => ({
    toolResponse: {
      name,
      ...(ref !== undefined && { ref }),
      output: { denied: true, reason: "Nobody agreed." },
    },
  }));
  const at = messages.indexOf(waiting) + 1;
  return [...messages.slice(0, at), { role: "tool", content }, ...messages.slice(at)];
}

export function isRequest(part: Part): part is ToolRequestPart {
  return part.toolRequest !== undefined;
}

function isOpen(part: Part): part is ToolRequestPart {
  return isRequest(part) && Boolean(part.metadata?.["interrupt"]);
}

function isFor(
  { toolRequest }: ToolRequestPart,
  answer: { readonly name: string; readonly ref?: string },
): boolean {
  return toolRequest.name === answer.name && toolRequest.ref === answer.ref;
}

function refused(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}
