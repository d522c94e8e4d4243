import {
  type Annotation,
  exportSession,
  type ImportAnswer,
  importSession,
  SessionTree,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { Agent, ReadOptions, SessionList } from "./agent.ts";
import { checkAnnotation, checkedLines, checkOptions, LIST_OPTIONS } from "./check-options.ts";
import { locateSession, readerOf } from "./locate.ts";
import { findPublicId, toPublicId } from "./public-id.ts";

/** An agent's sessions as wholes: listed, noted on, moved and erased. */
export class SessionDesk<Custom> {
  readonly #definition: AgentDefinition<Custom>;

  constructor(definition: AgentDefinition<Custom>) {
    this.#definition = definition;
  }

  async listSessions(
    options: NonNullable<Parameters<Agent["listSessions"]>[0]> = {},
  ): Promise<SessionList> {
    checkOptions(options, LIST_OPTIONS);
    const { ledger, key } = await locateSession(this.#definition, "any", readerOf(options));
    const { limit = 50, after, activity } = options;
    const { scope, agent } = key;
    const page = await ledger.store.list(scope, {
      agent,
      limit,
      ...(after !== undefined && { after }),
      ...(activity !== undefined && { activity }),
    });
    const sessions = page.sessions.map(({ key: { sessionId }, record }) => ({
      sessionId,
      ...(record.head !== null && { snapshotId: toPublicId({ sessionId, id: record.head }) }),
      status:
        record.active !== null || record.queue.length > 0 ? ("active" as const) : ("idle" as const),
      createdAt: new Date(record.createdAt).toISOString(),
      updatedAt: new Date(record.updatedAt).toISOString(),
      messageCount: record.counts.messages,
      hasArtifacts: record.counts.artifacts > 0,
    }));
    return { sessions, ...(page.next !== undefined && { next: page.next }) };
  }

  async label(sessionId: string, annotation: Annotation, options: ReadOptions = {}): Promise<void> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    checkAnnotation(annotation);
    const own = internal(sessionId, annotation);
    const noted = own
      ? await new SessionTree(ledger).annotate(key, own)
      : { kind: "no-such-snapshot" as const };
    if (noted.kind === "no-such-snapshot")
      throw new TurnkeepError("NOT_FOUND", "The snapshot to note is not there.");
    if (noted.kind === "too-many") {
      throw new TurnkeepError(
        "RESOURCE_EXHAUSTED",
        `A session holds at most ${noted.limit} of these. Remove some.`,
        {
          reason: "LIMIT_EXCEEDED",
        },
      );
    }
  }

  async deleteSession(sessionId: string, options: ReadOptions = {}): Promise<boolean> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    return (await ledger.remove(key)).kind === "removed";
  }

  /** The whole session as it is kept: no transform applies, so it is for operators and not for clients. */
  async *exportSession(sessionId: string, options: ReadOptions = {}): AsyncGenerator<string> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    yield* exportSession(ledger, key);
  }

  async importSession(
    sessionId: string,
    lines: Iterable<string> | AsyncIterable<string>,
    options: ReadOptions = {},
  ): Promise<ImportAnswer> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    const answer = await importSession(ledger, key, checkedLines(lines));
    if (answer.kind !== "imported" || answer.head === null) return answer;
    return { ...answer, head: toPublicId({ sessionId, id: answer.head }) };
  }
}

// `undefined` when it names a snapshot of another session.
function internal(sessionId: string, annotation: Annotation): Annotation | undefined {
  const own = (publicId: string): string | undefined => {
    const found = findPublicId(publicId);
    return found?.sessionId === sessionId ? found.id : undefined;
  };
  if ("removeLabel" in annotation) return annotation;
  if ("about" in annotation) {
    const { title, tags } = annotation.about;
    return { about: { title, tags } };
  }
  if ("label" in annotation) {
    const snapshotId = own(annotation.snapshotId);
    return snapshotId === undefined ? undefined : { label: annotation.label, snapshotId };
  }
  if ("pin" in annotation) {
    const pin = own(annotation.pin);
    return pin === undefined ? undefined : { pin };
  }
  const unpin = own(annotation.unpin);
  return unpin === undefined ? undefined : { unpin };
}
