import {
  type AnnotateAnswer,
  type Annotation,
  exportSession,
  hasMetadata,
  type ImportAnswer,
  importSession,
  type LinkedSession,
  type ListedSession,
  SessionTree,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { metadataTooLong } from "./accept-error.ts";
import type { Agent, DeletedSession, ReadOptions, SessionList, SessionSummary } from "./agent.ts";
import { checkAnnotation, checkedLines, checkOptions, LIST_OPTIONS } from "./check-options.ts";
import { deleteSession, type EraseOptions } from "./delete-session.ts";
import { listMatching } from "./list-sessions.ts";
import { locateSession, readerOf } from "./locate.ts";
import { plainCopy } from "./plain-copy.ts";
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
    const { limit = 50, after, activity, metadata } = options;
    const { scope, agent } = key;
    const query = {
      agent,
      limit,
      ...(after !== undefined && { after }),
      ...(activity !== undefined && { activity }),
    };
    const page = await (metadata === undefined
      ? ledger.store.list(scope, query)
      : listMatching(ledger.store, scope, {
          ...query,
          matches: ({ record }) => hasMetadata(record.about, metadata),
        }));
    const sessions = page.sessions.map(summaryOf);
    return { sessions, ...(page.next !== undefined && { next: page.next }) };
  }

  async label(sessionId: string, annotation: Annotation, options: ReadOptions = {}): Promise<void> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    checkAnnotation(annotation);
    const own = internal(sessionId, annotation);
    const noted = own
      ? await new SessionTree(ledger).annotate(key, own)
      : { kind: "no-such-snapshot" as const };
    if (noted.kind !== "noted") throw annotationError(noted, sessionId);
  }

  async deleteSession(
    sessionId: string,
    options: ReadOptions = {},
  ): Promise<DeletedSession | undefined> {
    const { ledger, key } = await locateSession(this.#definition, sessionId, options);
    const linked = await deleteSession({
      ledger,
      key,
      agents: this.#definition.options.linkedAgents,
    });
    return linked && { sessionId, linked };
  }

  /** @internal Deletes a session because of another that it belongs to. */
  async eraseSession(
    sessionId: string,
    { tenant, above }: EraseOptions,
  ): Promise<readonly LinkedSession[] | undefined> {
    // Where clients carry the state there is nothing to delete.
    if (this.#definition.ledger === undefined) return undefined;
    const { ledger, key } = await locateSession(this.#definition, sessionId, { tenant });
    return await deleteSession({
      ledger,
      key,
      agents: this.#definition.options.linkedAgents,
      above,
    });
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

function summaryOf({ key: { sessionId }, record }: ListedSession): SessionSummary {
  const { head, about, active, queue, counts } = record;
  return {
    sessionId,
    ...(head !== null && { snapshotId: toPublicId({ sessionId, id: head }) }),
    status: active !== null || queue.length > 0 ? "active" : "idle",
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    messageCount: counts.messages,
    hasArtifacts: counts.artifacts > 0,
    ...(about?.title !== undefined && { title: about.title }),
    ...(about?.tags && { tags: about.tags }),
    ...(about?.metadata && { metadata: about.metadata }),
  };
}

function annotationError(
  answer: Exclude<AnnotateAnswer, { readonly kind: "noted" }>,
  sessionId: string,
): TurnkeepError {
  if (answer.kind === "no-such-session") {
    return new TurnkeepError("NOT_FOUND", `Session '${sessionId}' not found.`);
  }
  if (answer.kind === "no-such-snapshot") {
    return new TurnkeepError("NOT_FOUND", "The snapshot to note is not there.");
  }
  if (answer.kind === "metadata-too-long") return metadataTooLong(sessionId, answer.limit);
  return new TurnkeepError(
    "RESOURCE_EXHAUSTED",
    `A session holds at most ${answer.limit} of these. Remove some.`,
    { reason: "LIMIT_EXCEEDED" },
  );
}

// `undefined` when it names a snapshot of another session.
function internal(sessionId: string, annotation: Annotation): Annotation | undefined {
  const own = (publicId: string): string | undefined => {
    const found = findPublicId(publicId);
    return found?.sessionId === sessionId ? found.id : undefined;
  };
  if ("removeLabel" in annotation) return annotation;
  if ("about" in annotation) {
    const { title, tags, metadata } = annotation.about;
    return { about: { title, tags, metadata: metadata && plainCopy(metadata, "metadata") } };
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
