import { z } from "genkit";
import { AgentOutputSchema } from "genkit/beta";

const StatusSchema = z.enum(["pending", "completed", "aborted", "failed", "expired"]);

/** A snapshot by its id, or the head of a session. With both, the session is asserted. */
export const GetSnapshotRequestSchema: z.ZodTypeAny = z.object({
  snapshotId: z.string().optional(),
  sessionId: z.string().optional(),
});

/** A request about one snapshot. */
export const SnapshotIdSchema: z.ZodTypeAny = z.object({ snapshotId: z.string() });

/** A page of a session's snapshots, with their states. */
export const ListSnapshotsRequestSchema: z.ZodTypeAny = z.object({
  sessionId: z.string(),
  limit: z.number().int().min(1).optional(),
  after: z.string().optional(),
});

const { state, finishReason, error } = AgentOutputSchema.shape;

export const SessionSnapshotSchema: z.ZodTypeAny = z
  .object({
    snapshotId: z.string(),
    sessionId: z.string().optional(),
    parentId: z.string().optional(),
    createdAt: z.string(),
    updatedAt: z.string().optional(),
    heartbeatAt: z.string().optional(),
    status: StatusSchema.optional(),
    finishReason,
    error,
    state,
  })
  .passthrough();

/** `status` is the one after the attempt; absent when there is no such snapshot. */
export const AbortResponseSchema: z.ZodTypeAny = z.object({
  snapshotId: z.string(),
  status: StatusSchema.optional(),
});
