import { captureStep } from "./capture-step.ts";
import { Captures } from "./captures.ts";
import { compareStep } from "./compare-step.ts";
import { type Difference, differenceText } from "./difference.ts";
import { observeStep } from "./observe-step.ts";
import type { ListedCase } from "./read-spec.ts";
import type { SpecCase, Step } from "./spec-case.ts";
import { type CreatePlace, openStage, type Stage } from "./stage.ts";
import { withinMs } from "./within-ms.ts";

const LONGEST_CASE_MS = 120_000;
const LONGEST_CLOSING_MS = 30_000;

/** Plays a case on a stage of its own and says everything that is wrong; nothing, when it passed. */
export async function playCase(
  listed: ListedCase,
  createPlace: CreatePlace,
): Promise<readonly string[]> {
  if ("mistakes" in listed) return listed.mistakes;
  const { spec } = listed;
  let stage: Stage | undefined;
  const wrong = await attempt(async () => {
    stage = await openStage(spec.agent, createPlace);
    return await withinMs(LONGEST_CASE_MS, playSteps(spec, stage));
  });
  const leftOver = await attempt(async () => {
    if (stage) await withinMs(LONGEST_CLOSING_MS, stage.close());
    return [];
  });
  return [...wrong, ...leftOver];
}

// What comes after a step that went wrong would only repeat that it did.
async function playSteps({ steps }: SpecCase, stage: Stage): Promise<readonly string[]> {
  const captures = new Captures();
  for (const [index, step] of steps.entries()) {
    const wrong = await attempt(async () =>
      (await playStep(step, stage, captures)).map(differenceText),
    );
    if (wrong.length > 0) return wrong.map((text) => `steps[${index}] (${step.type}) ${text}`);
  }
  return [];
}

async function playStep(
  step: Step,
  stage: Stage,
  captures: Captures,
): Promise<readonly Difference[]> {
  const resolved = captures.resolve(step);
  const observation = await observeStep(resolved, stage);
  const differences = compareStep(resolved, observation);
  if (differences.length > 0) return differences;
  return captureStep(resolved, observation, captures);
}

// What the harness itself stumbles over fails the case too, and not the run of all cases.
async function attempt(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await work();
  } catch (error) {
    return [String(error)];
  }
}
