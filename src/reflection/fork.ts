import { jsonResponse } from "../http/index.ts";
import {
  ANSWER_LIMITS,
  applyBoundedPatch,
  type Json,
  type JsonPatchOperation,
  parseJsonPatch,
  parseSessionState,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import { type Fields, fieldsOf, invalid, textOf } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** Goes on from a snapshot, edited or as it is: on a branch of the same session, or in a session of its own. The snapshot itself stays as it is. */
export async function forkSnapshot(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const fields = fieldsOf(await exchange.json());
  const as = textOf(fields, "as") ?? "branch";
  if (as !== "branch" && as !== "session") throw invalid("'as' must be branch or session.");
  const source = exchange.named("snapshot");
  const state = await editedState(exchange, fields);
  const sessionId = textOf(fields, "sessionId");
  if (as === "branch" && sessionId !== undefined) throw invalid("A branch stays in its session.");
  const made =
    as === "branch"
      ? await agent.branch(source, { ...reader, state })
      : await agent.fork(source, {
          ...reader,
          state,
          ...(sessionId !== undefined && { sessionId }),
        });
  const label = textOf(fields, "label");
  const own = made.sessionId ?? "";
  if (label !== undefined) {
    await agent.label(own, { label, snapshotId: made.snapshotId }, reader);
  }
  const { parentId = null } = made;
  return jsonResponse(
    { snapshotId: made.snapshotId, sessionId: own, parentId, source },
    { status: 201 },
  );
}

// What is kept is edited, not what is shown: else whatever a transform hides would be lost.
async function editedState(
  exchange: StudioExchange,
  { patch, keepMessages }: Fields,
): Promise<SessionState<never>> {
  const { keepingAgent: agent, reader, studio } = exchange;
  const source = exchange.named("snapshot");
  const { status, state } = await agent.getSnapshot(source, { ...reader, unredacted: true });
  if (status !== "completed" || state === undefined) throw notCompleted(source, status);
  const operations = patch === undefined ? [] : parseJsonPatch(patch);
  if (agent.redacts && !studio.options.revealRaw) checkBlind(operations);
  const { sessionId: _, ...content } = state as SessionState;
  const cut = { ...content, messages: cutMessages(content.messages ?? [], keepMessages) };
  const whole = { artifacts: [], ...cut } as unknown as Json;
  const patched = applyBoundedPatch(whole, operations, {
    maxAddedCharacters: agent.inspector.limits.stateCharacters,
  });
  const edited = parseSessionState(patched, { limits: ANSWER_LIMITS });
  return edited as SessionState<never>;
}

function cutMessages<Item>(messages: readonly Item[], keep: Json | undefined): readonly Item[] {
  if (keep === undefined) return messages;
  if (typeof keep === "number" && Number.isSafeInteger(keep) && keep >= 0) {
    return messages.slice(0, keep);
  }
  throw invalid("'keepMessages' must be a whole number.");
}

// The others would bring to light, or let one guess, what a transform hides.
function checkBlind(operations: readonly JsonPatchOperation[]): void {
  const telling = operations.find(({ op }) => op === "copy" || op === "move" || op === "test");
  if (telling === undefined) return;
  throw new TurnkeepError(
    "PERMISSION_DENIED",
    `This agent hides some of its state, so a patch may not '${telling.op}'. Use add, replace and remove.`,
  );
}

function notCompleted(snapshotId: string, status: string | undefined): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Snapshot '${snapshotId}' is ${status ?? "unknown"}: only completed ones can be edited. To try a failed one again, execute with its snapshotId.`,
    { reason: "NOT_CONTINUABLE" },
  );
}
