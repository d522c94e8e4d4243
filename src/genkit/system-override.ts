import type { Genkit, MessageData, Part } from "genkit";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { isChecking } from "./checking.ts";
import { neutralText } from "./neutral-text.ts";

/** What a system text is made of in one turn. */
export interface SystemMoment {
  readonly input: Json;
  readonly state: unknown;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

/** A system text: a template, parts, or a function of the input. */
export type SystemParts =
  | string
  | Part
  | readonly Part[]
  | ((
      input: never,
      moment: { readonly state?: never; readonly context: never },
    ) => SystemResult | Promise<SystemResult>);

type SystemResult = string | Part | readonly Part[];

type Template = Awaited<ReturnType<Genkit["registry"]["dotprompt"]["compile"]>>;

/** The system text that an agent says instead of its prompt's. */
export class SystemOverride {
  readonly #ai: Genkit;
  readonly #system: SystemParts;
  #template: Promise<Template> | undefined;

  constructor(ai: Genkit, system: SystemParts) {
    this.#ai = ai;
    this.#system = system;
  }

  /** The template, where it is one. */
  get template(): string | undefined {
    return typeof this.#system === "string" ? this.#system : undefined;
  }

  /** The prompt's messages with this text in place of its own. What the history says as the system stays. */
  async apply(
    messages: readonly MessageData[],
    isHistory: (message: MessageData) => boolean,
    moment: SystemMoment,
  ): Promise<MessageData[]> {
    const others = messages.filter((message) => message.role !== "system" || isHistory(message));
    const content = await this.#render(moment);
    return content.length === 0 ? others : [{ role: "system", content }, ...others];
  }

  async #render({ input, state, context }: SystemMoment): Promise<Part[]> {
    if (typeof this.#system === "function") {
      if (isChecking(context)) return [];
      const moment = { state, context: context ?? {} } as never;
      return partsOf(await this.#system(input as never, moment));
    }
    if (typeof this.#system !== "string") return partsOf(this.#system);
    this.#template ??= this.#ai.registry.dotprompt.compile(this.#system);
    const render = await this.#template;
    const { messages } = await render({
      input: neutralText(input) as object,
      context: { ...context, state: neutralText(state) },
    });
    if (messages.length <= 1) return messages[0]?.content ?? [];
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "'system' is one message: its template must not switch roles or hold the history.",
    );
  }
}

function partsOf(parts: SystemResult): Part[] {
  if (typeof parts === "string") return [{ text: parts }];
  return Array.isArray(parts) ? [...(parts as readonly Part[])] : [parts as Part];
}
