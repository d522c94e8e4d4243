import { defineCustomAgent } from "turnkeep";
import { test } from "vitest";

test("respond.chunk takes no chunk that the runtime sends itself", () => {
  defineCustomAgent({ name: "typed" }, ({ respond }) => {
    respond.chunk({ status: { step: 1 } });
    // @ts-expect-error -- a turn ends when its handler returns
    respond.chunk({ turnEnd: {} });
    // @ts-expect-error -- session.updateCustom streams patches
    respond.chunk({ customPatch: [] });
  });
});
