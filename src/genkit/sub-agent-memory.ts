import type { Message, Part, SessionState } from "../agent/index.ts";
import type { JsonObject } from "../protocol/index.ts";

// What an agent without a store remembers stands beside its answer in the asker's history, so that it goes along with forks and branches.
const KEY = "subAgent";

/** What is kept of it, as JSON: enough for a conversation, and little beside the asker's own history. */
const MAX_CHARACTERS = 65_536;

/** The state of an agent without a store, as the history of the one who asks it keeps it. */
export interface SubAgentMemory {
  readonly agent: string;
  readonly state: SessionState;
}

/** What is kept of a state: all of it or, where that is too much, its newest messages; `undefined` when even those are too much. */
export function memoryOf(agent: string, state: SessionState): SubAgentMemory | undefined {
  const { messages = [], artifacts: _shared, ...rest } = state;
  for (const from of startsIn(messages)) {
    const kept = { ...rest, messages: messages.slice(from) };
    if (JSON.stringify(kept).length <= MAX_CHARACTERS) return { agent, state: kept };
    // A state that is signed or sealed can only be kept whole.
    if (state.token !== undefined) return undefined;
  }
  return undefined;
}

/** What the agent remembers, by the history. */
export function findMemory(messages: readonly Message[], agent: string): SessionState | undefined {
  for (const { content } of messages.toReversed()) {
    const found = content.findLast((part) => memoryIn(part)?.agent === agent);
    if (found) return memoryIn(found)?.state;
  }
  return undefined;
}

/** The metadata with what an agent remembers in it. */
export function withMemory(
  metadata: JsonObject | undefined,
  memory: SubAgentMemory | undefined,
): JsonObject | undefined {
  return memory ? { ...metadata, [KEY]: memory as unknown as JsonObject } : metadata;
}

export function memoryIn({
  metadata,
}: {
  readonly metadata?: JsonObject | undefined;
}): SubAgentMemory | undefined {
  return metadata?.[KEY] as unknown as SubAgentMemory | undefined;
}

/** The part as models and clients are shown it. */
export function withoutMemory<SomePart extends Pick<Part, "metadata">>(part: SomePart): SomePart {
  if (part.metadata === undefined || !(KEY in part.metadata)) return part;
  const { [KEY]: _memory, ...metadata } = part.metadata;
  const { metadata: _before, ...rest } = part;
  const isEmpty = Object.keys(metadata).length === 0;
  return (isEmpty ? rest : { ...rest, metadata }) as SomePart;
}

/** The history with messages added to it. What agents remember by those takes the place of what they remembered before. */
export function addToHistory(
  before: readonly Message[],
  added: readonly Message[],
): readonly Message[] {
  const history = [...before, ...added];
  if (!added.some(hasMemory)) return history;
  const seen = new Set<string>();
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history[index] as Message;
    if (hasMemory(message)) history[index] = withUnseenMemories(message, seen);
  }
  return history;
}

function hasMemory({ content }: Message): boolean {
  return content.some((part) => memoryIn(part) !== undefined);
}

function withUnseenMemories(message: Message, seen: Set<string>): Message {
  const content = message.content.toReversed().map((part) => {
    const agent = memoryIn(part)?.agent;
    if (agent === undefined) return part;
    if (seen.has(agent)) return withoutMemory(part);
    seen.add(agent);
    return part;
  });
  return { ...message, content: content.toReversed() };
}

// A conversation is cut before what a user said.
function startsIn(messages: readonly Message[]): readonly number[] {
  const later = messages.flatMap(({ role }, index) =>
    role === "user" && index > 0 ? [index] : [],
  );
  return [0, ...later];
}
