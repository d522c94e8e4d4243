import type {
  Json,
  JsonObject,
  Message,
  Resume,
  ToolRequest,
  ToolRequestPart,
} from "../protocol/index.ts";

/** A tool that waits for a person. All that are open are answered together: the last answer sends them. */
export interface Interrupt {
  readonly request: ToolRequest;
  /** What the tool says about why it waits. */
  readonly metadata: JsonObject;
  /** Answers in place of the tool. */
  readonly respond: (output: Json) => void;
  /** Runs the tool again, which is told what is given here. */
  readonly restart: (resumed?: Json) => void;
}

/** The open requests of a message, and what to do once all are answered. */
export function interruptsOf(
  message: Message | undefined,
  resume: (resume: Resume) => void,
): readonly Interrupt[] {
  const open = (message?.content ?? []).filter(isOpen);
  const answers = new Map<ToolRequestPart, Resume>();
  const answer = (part: ToolRequestPart, given: Resume): void => {
    if (answers.has(part)) return;
    answers.set(part, given);
    if (answers.size < open.length) return;
    const all = open.map((one) => answers.get(one) ?? {});
    const respond = all.flatMap((one) => one.respond ?? []);
    const restart = all.flatMap((one) => one.restart ?? []);
    resume({ ...(respond.length > 0 && { respond }), ...(restart.length > 0 && { restart }) });
  };
  return open.map((part) => {
    const { toolRequest, metadata = {} } = part;
    const { name, ref } = toolRequest;
    const named = { name, ...(ref !== undefined && { ref }) };
    return {
      request: toolRequest,
      metadata,
      respond: (output) => answer(part, { respond: [{ toolResponse: { ...named, output } }] }),
      restart: (resumed = true) =>
        answer(part, { restart: [{ toolRequest, metadata: { resumed } }] }),
    };
  });
}

function isOpen(part: Message["content"][number]): part is ToolRequestPart {
  return part.toolRequest !== undefined && Boolean(part.metadata?.["interrupt"]);
}
