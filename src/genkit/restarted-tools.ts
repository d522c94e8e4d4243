import type { ToolRequestPart, ToolResponsePart } from "genkit";
import type { Message, ToolResponsePart as Answer } from "../protocol/index.ts";
import { keyOf, withOwnRefs } from "./distinct-refs.ts";
import { holdBack, type RequestOutcome, type SettledInterrupts } from "./pending-interrupts.ts";
import { findInterrupt } from "./tool-runner.ts";

/**
 * The tools that a resumed turn runs again. One may interrupt again or fail while others succeed: Genkit would lose what those did. Here it is
 * held back with the message that waits, and not done again when the message is answered again.
 */
export class RestartedTools {
  readonly #settled: SettledInterrupts | undefined;
  readonly #outcomes = new Map<string, RequestOutcome>();
  readonly #running: Promise<unknown>[] = [];
  #hasFailed = false;

  constructor(settled: SettledInterrupts | undefined) {
    this.#settled = settled;
    for (const answer of settled?.respond ?? []) {
      this.#outcomes.set(keyOf(answer.toolResponse), { response: answer });
    }
  }

  /** Whether all went well but for tools that want to ask again. */
  get areInterrupted(): boolean {
    const outcomes = [...this.#outcomes.values()];
    return !this.#hasFailed && outcomes.some((outcome) => "interrupt" in outcome);
  }

  async run(
    part: ToolRequestPart,
    work: Promise<ToolResponsePart | undefined>,
  ): Promise<ToolResponsePart | undefined> {
    const watched = this.#watch(part, work);
    this.#running.push(watched);
    await watched;
    try {
      return await work;
    } catch (error) {
      // The others end first, so that what they did is known.
      await Promise.all(this.#running);
      throw findInterrupt(error) ? new Error("A restarted tool interrupted again.") : error;
    }
  }

  /** The waiting message with what was done; `undefined` when nothing was run again. */
  pending(): Message | undefined {
    if (this.#settled === undefined || this.#running.length === 0) return undefined;
    const held = holdBack(this.#settled.message, ({ toolRequest }) =>
      this.#outcomes.get(keyOf(toolRequest)),
    );
    return { ...held, content: withOwnRefs(held.content) };
  }

  async #watch(part: ToolRequestPart, work: Promise<ToolResponsePart | undefined>): Promise<void> {
    try {
      const response = await work;
      if (response)
        this.#outcomes.set(keyOf(part.toolRequest), { response: response as unknown as Answer });
    } catch (error) {
      const interrupt = findInterrupt(error);
      if (interrupt === undefined) this.#hasFailed = true;
      else this.#outcomes.set(keyOf(part.toolRequest), { interrupt });
    }
  }
}
