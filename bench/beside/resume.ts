import { ScriptedModel } from "../contenders/scripted-model.ts";
import { median } from "../median.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { openSubject } from "./open-subject.ts";
import { comparison as storage } from "./storage.ts";

const LATER_LOADS = 7;

/** A step of `storage`: the talk that was left in a folder or on a server, loaded by a process that never saw it. */
export const comparison: Comparison = { ...storage, name: "resume", measure };

async function measure(task: Task): Promise<Sample> {
  const { resume, close } = await openSubject(task, new ScriptedModel());
  const load = async (): Promise<number> => {
    const begin = performance.now();
    const messages = await resume("conversation");
    if (messages !== 2 * task.size) throw new Error(`It came back with ${messages} messages.`);
    return performance.now() - begin;
  };
  const coldMs = await load();
  const later: number[] = [];
  while (later.length < LATER_LOADS) later.push(await load());
  await close();
  return { coldMs, warmMs: median(later) };
}
