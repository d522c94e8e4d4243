import type { Message, Part } from "../protocol/index.ts";

// Models may ask for one tool several times and give no references. Genkit would give all of them the first answer.
const MADE_UP = /^turnkeep:\d+:/;

/** The message with each request under a reference that no other request for the same tool has. */
export function withDistinctRefs(message: Message): Message {
  const keys = message.content.map(({ toolRequest }) => toolRequest && keyOf(toolRequest));
  const content = message.content.map((part, index): Part => {
    const isAlone = keys.filter((key) => key === keys[index]).length === 1;
    if (part.toolRequest === undefined || isAlone) return part;
    const { ref = "" } = part.toolRequest;
    return { ...part, toolRequest: { ...part.toolRequest, ref: `turnkeep:${index}:${ref}` } };
  });
  return { ...message, content };
}

/** The reference that the model gave; `undefined` when it gave none. */
export function ownRef(ref: string | undefined): string | undefined {
  if (ref === undefined || !MADE_UP.test(ref)) return ref;
  return ref.replace(MADE_UP, "") || undefined;
}

/** The parts under the references that the model gave. */
export function withOwnRefs<SomePart extends RefPart>(parts: readonly SomePart[]): SomePart[] {
  return parts.map((part) => ({
    ...part,
    ...(part.toolRequest && { toolRequest: named(part.toolRequest) }),
    ...(part.toolResponse && { toolResponse: named(part.toolResponse) }),
  }));
}

/** What tells a request or an answer from the others of its message. */
export function keyOf({ name, ref }: Named): string {
  return JSON.stringify([name, ref]);
}

interface Named {
  readonly name: string;
  readonly ref?: string | undefined;
}

interface RefPart {
  readonly toolRequest?: Named | undefined;
  readonly toolResponse?: Named | undefined;
}

function named<Value extends Named>(value: Value): Value {
  const { ref, ...rest } = value;
  const own = ownRef(ref);
  return own === ref ? value : ({ ...rest, ...(own !== undefined && { ref: own }) } as Value);
}
