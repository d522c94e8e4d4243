import type { OpenContender } from "../contenders/contender.ts";
import { loadContender } from "../contenders/contenders.ts";
import type { ScriptedModel } from "../contenders/scripted-model.ts";
import type { Task } from "./comparison.ts";

/** Opens who is to be measured. */
export async function openSubject(
  { subject, folder, urls }: Task,
  model: ScriptedModel,
): Promise<OpenContender> {
  const { open } = await loadContender(subject.contender);
  const url = urls[subject.store];
  return await open({ store: subject.store, model, folder, ...(url !== undefined && { url }) });
}
