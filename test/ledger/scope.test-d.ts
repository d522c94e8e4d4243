import { expectTypeOf, it } from "vitest";
import type { Scope, SessionKey, SessionStore } from "../../src/ledger/index.ts";

it("offers no store call without a scope", () => {
  expectTypeOf<{ tenant: string }>().not.toExtend<Scope>();
  expectTypeOf<{ agent: string; sessionId: string }>().not.toExtend<SessionKey>();
  expectTypeOf<Parameters<SessionStore["load"]>[0]>().toEqualTypeOf<SessionKey>();
  expectTypeOf<Parameters<SessionStore["list"]>[0]>().toEqualTypeOf<Scope>();
});
