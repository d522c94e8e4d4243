import {
  defineCustomAgent,
  type LocalAgent,
  type SessionStore,
  type StateSchema,
} from "../agent/index.ts";
import type { AgentInput, JsonObject, Message, Part } from "../protocol/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { type DemoTool, runTool, type ToolInput, type ToolScene } from "./demo-tool.ts";
import type { Model } from "./model.ts";
import { declineOpen, findOpen, isRequest, settle, type Verdict } from "./open-requests.ts";
import type { Script } from "./script.ts";

export interface Talker<Custom> {
  readonly name: string;
  readonly description: string;
  readonly store: SessionStore;
  readonly model: Model;
  readonly state: StateSchema<Custom>;
  /** The state of a session that begins. */
  readonly initialState: Custom;
  /** The prompt, rendered again for every answer. */
  readonly system: (custom: Custom) => string;
  readonly tools: readonly DemoTool<Custom>[];
  readonly script: Script;
}

const MOST_ROUNDS = 8;

/** An agent that is a prompt and some tools: the model is asked, its tools are run, and it is asked again until it has said all. */
export function defineTalker<Custom>(talker: Talker<Custom>): LocalAgent<Custom> {
  const { name, description, store, state, initialState } = talker;
  return defineCustomAgent<Custom>(
    { name, description, store, state, initialState, onBusy: "queue" },
    async (tools) => {
      await tools.session.run(
        async (input, turn) => await new Talk(talker, { ...tools, turn }).take(input),
      );
      return tools.session.result();
    },
  );
}

interface Ending {
  readonly finishReason: "stop" | "interrupted" | "length";
  readonly usage?: JsonObject;
}

/** One turn of such an agent. */
class Talk<Custom> {
  readonly #talker: Talker<Custom>;
  readonly #scene: ToolScene<Custom>;

  constructor(talker: Talker<Custom>, scene: ToolScene<Custom>) {
    this.#talker = talker;
    this.#scene = scene;
  }

  async take({ resume }: AgentInput): Promise<Ending> {
    const { session, turn } = this.#scene;
    if (resume) {
      const waiting = findOpen(session.messages());
      if (waiting === undefined) throw nothingWaits();
      await this.#work(settle(waiting, resume));
    } else session.updateMessages(declineOpen);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      // Each round builds on the one before.
      // oxlint-disable-next-line no-await-in-loop
      const ending = await this.#round();
      if (ending) return ending;
      turn.keep();
    }
    return { finishReason: "length" };
  }

  async #round(): Promise<Ending | undefined> {
    const { session, respond, turn } = this.#scene;
    const { model, system, tools, script } = this.#talker;
    const { message, usage } = await model.answer({
      system: system(session.custom() ?? this.#talker.initialState),
      messages: session.messages(),
      tools,
      script,
      signal: turn.signal,
      onText: respond.text,
    });
    const content = message.content.map((part) => this.#marked(part));
    const requests = content.filter(isRequest);
    if (requests.length > 0) respond.modelChunk({ role: "model", content: requests });
    session.addMessages({ ...message, content, metadata: { model: model.name } });
    const used = usage && { usage };
    if (requests.some(({ metadata }) => metadata?.["interrupt"]))
      return { finishReason: "interrupted", ...used };
    if (requests.length === 0) return { finishReason: "stop", ...used };
    await this.#work(requests.map((run) => ({ run })));
    return undefined;
  }

  // A request that needs a person's word says so, and the turn ends there.
  #marked(part: Part): Part {
    if (!isRequest(part)) return part;
    const { name, input } = part.toolRequest;
    const question = this.#find(name)?.asks?.((input ?? {}) as ToolInput);
    return question === undefined ? part : { ...part, metadata: { interrupt: { question } } };
  }

  async #work(verdicts: readonly Verdict[]): Promise<void> {
    const { session, respond } = this.#scene;
    const content = await Promise.all(verdicts.map((verdict) => this.#outcomeOf(verdict)));
    respond.modelChunk({ role: "tool", content });
    session.addMessages({ role: "tool", content } satisfies Message);
  }

  async #outcomeOf(verdict: Verdict): Promise<Part> {
    if ("answer" in verdict) return verdict.answer;
    const { name, ref, input = {} } = verdict.run.toolRequest;
    const tool = this.#find(name);
    const output = tool
      ? await runTool(tool, input, this.#scene)
      : { error: `There is no tool "${name}".` };
    return { toolResponse: { name, ...(ref !== undefined && { ref }), output } };
  }

  #find(name: string): DemoTool<Custom> | undefined {
    return this.#talker.tools.find((tool) => tool.name === name);
  }
}

function nothingWaits(): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    "There is nothing to resume: no tool waits for an answer.",
  );
}
