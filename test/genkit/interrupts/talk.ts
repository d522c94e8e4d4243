import type {
  AgentInput,
  AgentOutput,
  LocalAgent,
  Message,
  Part,
  SessionState,
  SessionStore,
} from "turnkeep";
import { user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";

/** Those who may hold the state of a talk: stores, and the client itself. */
export const HOLDERS: readonly (readonly [
  name: string,
  open: () => Promise<SessionStore | undefined>,
])[] = [...STORES, ["the client", async () => undefined]];

/** A talk with an agent, whoever holds its state. */
export class Talk {
  readonly #agent: LocalAgent;
  #state: SessionState = {};

  constructor(agent: LocalAgent) {
    this.#agent = agent;
  }

  async say(text: string): Promise<AgentOutput> {
    return await this.send(user(text));
  }

  async send(input: AgentInput): Promise<AgentOutput> {
    const isKept = this.#agent.metadata.stateManagement === "server";
    const output = await this.#agent.run(
      input,
      isKept ? { sessionId: "s" } : { state: this.#state },
    );
    this.#state = isKept
      ? ((await this.#agent.getLatestSnapshot("s")).state ?? {})
      : (output.state ?? {});
    return output;
  }

  get messages(): readonly Message[] {
    return this.#state.messages ?? [];
  }

  /** The parts of the last message. */
  get lastParts(): readonly Part[] {
    return this.messages.at(-1)?.content ?? [];
  }
}

export function response(
  name: string,
  ref: string | undefined,
  output: unknown,
): { readonly toolResponse: { name: string; ref?: string; output: never } } {
  return { toolResponse: { name, ...(ref !== undefined && { ref }), output: output as never } };
}
