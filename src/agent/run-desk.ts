import { followRun, loggedRun } from "../ledger/index.ts";
import type { Json } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { Agent } from "./agent.ts";
import { checkOptions, FOLLOW_OPTIONS } from "./check-options.ts";
import type { RunUpdate } from "./client-view.ts";
import { locate, readerOf } from "./locate.ts";
import { SessionDesk } from "./session-desk.ts";

/** @internal Updates that follow each other, in lists that follow each other. */
export type UpdatePage = readonly (readonly RunUpdate[])[];

/** @internal A reader of a run among others. */
export interface JoinedRun {
  /** Why it is told no more: the run has ended, or the reader left. */
  readonly end: Promise<"ended" | "left">;
}

type FollowRunOptions = NonNullable<Parameters<Agent["attach"]>[1]>;

/** What an agent's runs said and say. Shows what the agent's transforms let the caller see. */
export class RunDesk<Custom, Status = Json> extends SessionDesk<Custom> {
  readonly #definition: AgentDefinition<Custom>;

  constructor(definition: AgentDefinition<Custom>) {
    super(definition);
    this.#definition = definition;
  }

  async *attach(runId: string, options: FollowRunOptions = {}): AsyncGenerator<RunUpdate<Status>> {
    for await (const page of this.#follow(runId, options, { isShared: false })) {
      yield* page.flat() as RunUpdate<never>[];
    }
  }

  /**
   * @internal Like `attach`, as many at a time as are there; none, when the run is there and has nothing more to say yet. Others may get the same lists: nobody
   * may change them.
   */
  followRun(runId: string, options: FollowRunOptions = {}): AsyncGenerator<UpdatePage> {
    return this.#follow(runId, options, { isShared: true });
  }

  async *#follow(
    runId: string,
    options: FollowRunOptions,
    { isShared }: { readonly isShared: boolean },
  ): AsyncGenerator<UpdatePage> {
    checkOptions(options, FOLLOW_OPTIONS);
    const { ledger, key, id } = await locate(this.#definition, runId, readerOf(options));
    const { after = 0, signal } = options;
    const view = this.#definition.viewFor(key.sessionId, id, options);
    const place = { runId: id, ...(signal && { signal }) };
    if (!view.transforms) {
      for await (const page of followRun(ledger, key, { ...place, after })) {
        yield page.map((events) =>
          isShared ? view.sharedUpdatesOf(events) : view.ownUpdatesOf(events),
        );
      }
      return;
    }
    // What a transform shows of the state builds on what it showed before: it is shown from the beginning and only said from where the reader left.
    for await (const page of followRun(ledger, key, place)) {
      yield [(await view.updatesOf(page.flat())).filter(({ seq }) => seq > after)];
    }
  }

  /**
   * @internal Tells what a run says after a seq as it is said, with all others who have read as much, which costs little for each. `take` says whether it is to be
   * told more. `undefined` for who has more to read first, or is shown something else than others: that is for `followRun`.
   */
  async joinRun(
    runId: string,
    options: FollowRunOptions,
    take: (page: UpdatePage) => boolean,
  ): Promise<JoinedRun | undefined> {
    checkOptions(options, FOLLOW_OPTIONS);
    const { ledger, key, id } = await locate(this.#definition, runId, readerOf(options));
    const { after = 0, signal } = options;
    const view = this.#definition.viewFor(key.sessionId, id, options);
    if (view.transforms) return undefined;
    const end = ledger.tails.join(loggedRun(key, id), {
      after,
      signal,
      take: (lists) => take(lists.map((events) => view.sharedUpdatesOf(events))),
    });
    return end && { end };
  }
}
