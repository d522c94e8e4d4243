import type { ExecutablePrompt, GenerateOptions, MessageData, ToolArgument } from "genkit";
import { Session as BlankSession } from "genkit/beta";
import type { CallContext, Json, Message, Session } from "../agent/index.ts";
import { cannotRender } from "./check-template.ts";
import { CHECKING } from "./checking.ts";
import { freshTools } from "./fresh-tools.ts";
import { GenkitSession } from "./genkit-session.ts";
import { changeable, ourMessages } from "./genkit-types.ts";
import { MARKER, neutralText } from "./neutral-text.ts";
import type { SystemOverride } from "./system-override.ts";

/** What a prompt is rendered from in one turn. */
export interface Rendering {
  readonly session: Session<never>;
  readonly input: Json | undefined;
  readonly history: readonly Message[];
  readonly context: CallContext;
}

/** What of a prompt an agent decides for itself. */
export type PromptOverrides = Pick<
  GenerateOptions,
  "model" | "config" | "tools" | "toolChoice" | "output" | "docs" | "use" | "maxTurns"
>;

export interface PromptSourceOptions {
  /** What errors call it. */
  readonly name: string;
  readonly prompt: ExecutablePrompt<Json | undefined>;
  readonly overrides?: PromptOverrides;
  /** Takes the place of the prompt's own system text. */
  readonly system?: SystemOverride;
  /** Come besides the prompt's own tools. */
  readonly agentTools: readonly ToolArgument[];
  /** Whether it renders to the same whatever it is filled with: then once is enough. */
  readonly isConstant: boolean;
  /** Whether the prompt makes its messages itself out of the history, and so must see it. */
  readonly readsHistory: boolean;
}

// Stands for the whole history while a template is rendered, whose cost would grow with it otherwise.
const PLACE = "turnkeepHistory";
const PLACEHOLDER: MessageData = {
  role: "user",
  content: [{ text: "" }],
  metadata: { [PLACE]: true },
};

/** Renders a prompt anew for each turn, unless it has nothing to fill in. */
export class PromptSource {
  readonly #options: PromptSourceOptions;
  #output: GenerateOptions["output"];
  #constant: GenerateOptions | undefined;

  constructor(options: PromptSourceOptions) {
    this.#options = options;
    this.#output = options.overrides?.output;
  }

  /** The format of answers, as of the last rendering; before the first, what the agent itself says. */
  get output(): GenerateOptions["output"] {
    return this.#output;
  }

  /** What to ask the model: the prompt's messages with the history among them, and the options of both. */
  render(rendering: Rendering): Promise<GenerateOptions> | GenerateOptions {
    return this.#constant
      ? this.#fill(this.#constant, rendering)
      : this.#render(rendering).then((rendered) => {
          if (this.#options.isConstant) this.#constant = withoutContext(rendered);
          return this.#fill(rendered, rendering);
        });
  }

  #fill(rendered: GenerateOptions, { history, context }: Rendering): GenerateOptions {
    this.#output = rendered.output;
    const tools = freshTools([...(rendered.tools ?? []), ...this.#options.agentTools]);
    const messages: MessageData[] = [];
    for (const message of ourMessages(rendered.messages ?? [])) {
      const meant = message.metadata?.[PLACE] ? history : [message];
      for (const each of meant) messages.push(changeable(each));
    }
    return {
      ...rendered,
      ...(tools.length > 0 && { tools }),
      messages,
      ...(hasAny(context) && { context: context as Record<string, unknown> }),
    };
  }

  /**
   * Renders the prompt once as for a new session, and throws the result away: what cannot be rendered shows before the first turn. Functions of inline
   * prompts are left out, since they may need a caller.
   *
   * @throws TurnkeepError INVALID_ARGUMENT that says why it cannot be rendered.
   */
  async check(input: Json): Promise<void> {
    const moment: Moment = { state: undefined, input, history: [], context: { [CHECKING]: true } };
    try {
      const rendered = await new BlankSession({}).run(() => this.#renderIn(moment));
      this.#output ??= rendered.output;
      for (const { content } of rendered.messages ?? []) content.forEach(refuseMarker);
    } catch (error) {
      throw cannotRender(this.#options.name, error);
    }
  }

  async #render({ session, context, ...rendering }: Rendering): Promise<GenerateOptions> {
    const shown = new RenderingSession(session);
    const moment: Moment = {
      ...rendering,
      state: session.custom(),
      context: hasAny(context) ? (neutralText(context) as Record<string, unknown>) : undefined,
    };
    return await shown.run(() => this.#renderIn(moment));
  }

  async #renderIn(moment: Moment): Promise<GenerateOptions> {
    const { prompt, overrides, readsHistory, system } = this.#options;
    const { input = {}, history, context } = moment;
    const given = readsHistory ? history.map(changeable) : [PLACEHOLDER];
    const rendered = await prompt.render(neutralText(input), {
      ...overrides,
      messages: given,
      ...(context && { context }),
    });
    if (system === undefined) return rendered;
    const isHistory = (message: MessageData): boolean =>
      given.includes(message) || message.metadata?.["purpose"] === "history";
    const { messages = [] } = rendered;
    return { ...rendered, messages: await system.apply(messages, isHistory, { ...moment, input }) };
  }
}

interface Moment extends Omit<Rendering, "session" | "context"> {
  readonly state: unknown;
  readonly context: Record<string | symbol, unknown> | undefined;
}

function refuseMarker({ text = "" }: { readonly text?: string | undefined }): void {
  if (!text.includes(MARKER)) return;
  const marker = text.slice(text.indexOf(MARKER)).split("\n", 1)[0] ?? "";
  throw new Error(
    `the text holds the marker "${marker.slice(0, 60)}": a helper of the template got a wrong argument.`,
  );
}

// Templates print the state; a text in it must not become a message of its own.
class RenderingSession extends GenkitSession {
  override getCustom(): unknown {
    return neutralText(super.getCustom());
  }
}

// Who asked first is no part of what is rendered once.
function withoutContext({ context: _asked, ...rendered }: GenerateOptions): GenerateOptions {
  return rendered;
}

function hasAny(context: CallContext): boolean {
  return Object.keys(context).length > 0;
}
