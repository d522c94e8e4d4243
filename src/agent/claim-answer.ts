import {
  createSessionKey,
  findQuestion,
  type Ledger,
  noteAnswer,
  type SessionKey,
  type SnapshotOrigin,
  SessionTree,
} from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { toPublicId } from "./public-id.ts";

/** A turn that answers what the snapshot it starts at waits for. */
export interface Answering {
  /** Where the turn starts. */
  readonly parentId: string;
  /** Reserved for its snapshot. */
  readonly snapshotId: string;
  /** Whether a second answer is allowed. */
  readonly again: boolean;
}

/**
 * Makes the turn the one that answers, and returns the question's id: the same in every branch and fork. A turn may answer again after one that it goes
 * on from, or that left no content, such as an aborted one.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when another turn has answered.
 */
export async function claimAnswer(
  ledger: Ledger,
  key: SessionKey,
  { parentId, snapshotId, again }: Answering,
): Promise<string | undefined> {
  const question = await findQuestion(ledger.store, key, parentId);
  if (question === undefined) return undefined;
  const by = { sessionId: key.sessionId, snapshotId };
  const except: SnapshotOrigin[] = [...question.path];
  for (;;) {
    const request = { snapshotId: question.snapshotId, by, except, again };
    const result = await ledger.take(question.key, noteAnswer(request));
    if (result.kind !== "answered") return question.snapshotId;
    if (!(await isVoid(ledger, key, result.by))) throw answeredAlready(result.by);
    except.push(result.by);
  }
}

// Nothing came of it that anybody could go on from: the session is where it was, and asks again.
async function isVoid(
  ledger: Ledger,
  { scope, agent }: SessionKey,
  { sessionId, snapshotId }: SnapshotOrigin,
): Promise<boolean> {
  const key = createSessionKey(scope, agent, sessionId);
  const { snapshot } = await new SessionTree(ledger).peek(key, snapshotId);
  return snapshot !== undefined && snapshot.chain === undefined;
}

function answeredAlready({ sessionId, snapshotId: id }: SnapshotOrigin): TurnkeepError {
  const snapshotId = toPublicId({ sessionId, id });
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `This interrupt was answered already, by the turn of snapshot '${snapshotId}'. Continue from there, or pass resume.again in process to answer it once more.`,
    { reason: "ALREADY_ANSWERED", details: { sessionId, snapshotId } },
  );
}
