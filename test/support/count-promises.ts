import { createHook } from "node:async_hooks";

/** How many promises are made while the work is done. */
export async function countPromises(work: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === "PROMISE") promises += 1;
    },
  });
  hook.enable();
  await work();
  hook.disable();
  return promises;
}
