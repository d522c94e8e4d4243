import type { AgentFunction } from "./agent-function.ts";

/** Where a run is worked on: known when its first input was taken in, and settled once. */
export class RunPlace {
  readonly #settled: Promise<"here" | "elsewhere">;
  settle: (place: "here" | "elsewhere") => void = () => {};

  constructor() {
    this.#settled = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** The function, started only once it is known that it has something to do here. */
  guard<Custom>(work: AgentFunction<Custom, never>): AgentFunction<Custom, never> {
    return async (tools) =>
      (await this.#settled) === "here" ? await work(tools) : tools.session.result();
  }
}
