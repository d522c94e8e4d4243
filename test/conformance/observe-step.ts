import type { SessionSnapshot } from "turnkeep";
import { type Observation, observedErrorOf } from "./observation.ts";
import { readSnapshot, waitForSnapshot } from "./read-snapshot.ts";
import { sendInputs } from "./send-inputs.ts";
import type { AbortStep, ReadStep, Step, WaitStep } from "./spec-case.ts";
import type { Stage } from "./stage.ts";

/** Does what a step says and notes what came of it, errors included. */
export async function observeStep(step: Step, stage: Stage): Promise<Observation> {
  const { agent, model } = stage;
  switch (step.type) {
    case "send":
      model.play(step);
      return await sendInputs(agent, step);
    case "getSnapshotData":
      return await observeSnapshot(step, () => readSnapshot(agent, step));
    case "waitUntilCompleted":
      return await observeSnapshot(step, () => waitForSnapshot(agent, step));
    case "abort":
      return await observeAbort(step, stage);
  }
}

async function observeSnapshot(
  { expectSnapshot }: ReadStep | WaitStep,
  read: () => Promise<SessionSnapshot>,
): Promise<Observation> {
  try {
    return { record: await read() };
  } catch (cause) {
    const error = observedErrorOf(cause);
    // Our agents reject for a snapshot that is not there; the spec may as well expect none.
    return expectSnapshot === null && error.status === "NOT_FOUND" ? {} : { error };
  }
}

async function observeAbort({ snapshotId }: AbortStep, { agent }: Stage): Promise<Observation> {
  try {
    const { previousStatus } = await agent.abort(snapshotId);
    return previousStatus === undefined ? {} : { previousStatus };
  } catch (error) {
    return { error: observedErrorOf(error) };
  }
}
