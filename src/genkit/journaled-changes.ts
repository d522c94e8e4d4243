import type { Artifact, Session } from "../agent/index.ts";
import type { JsonObject } from "../protocol/index.ts";

/**
 * What tools make of the session: their state and artifacts. A worker that takes the turn over does not run a finished tool again, so what the tool
 * changed is written down with its answer.
 */
export class JournaledChanges {
  readonly #session: Session<never>;
  #count = 0;

  constructor(session: Session<never>) {
    this.#session = session;
  }

  /** Does the work and adds what changed meanwhile. Of tools that run side by side, each has the changes of those that ended before it as well. */
  async record<Outcome extends object>(
    work: () => Promise<Outcome>,
  ): Promise<Outcome & { readonly made?: JsonObject }> {
    const before = this.#session.content;
    const outcome = await work();
    const { custom, artifacts } = this.#session.content;
    this.#count += 1;
    if (custom === before.custom && artifacts === before.artifacts) return outcome;
    const made: JsonObject = {
      count: this.#count,
      ...(custom !== undefined && custom !== before.custom && { custom }),
      ...(artifacts !== before.artifacts && { artifacts }),
    };
    return { ...outcome, made };
  }

  /** Makes the changes again, unless later ones were made already: those hold the earlier ones. */
  repeat({ count, custom, artifacts }: JsonObject): void {
    if (typeof count !== "number" || count <= this.#count) return;
    this.#count = count;
    if (custom !== undefined) this.#session.setCustom(custom as never);
    if (artifacts !== undefined) this.#session.setArtifacts(artifacts as unknown as Artifact[]);
  }
}
