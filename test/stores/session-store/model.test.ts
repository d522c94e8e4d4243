import type { SessionStore } from "turnkeep";
import { fromSessionStore } from "turnkeep/stores/session-store";
import { expect, test } from "vitest";
import { checkHistories } from "../../ledger/model/check-histories.ts";
import { ListingSessionStore } from "./session-stores.ts";

const HISTORIES = 300;

test("a wrapped session store holds the ledger's invariants in random histories of one process", async () => {
  const sessions = new ListingSessionStore();
  let store: SessionStore | undefined;
  const report = await checkHistories({
    runs: HISTORIES,
    seed: 18,
    open: async (options) => (store ??= fromSessionStore(sessions, options)),
  });
  expect(report.histories).toBe(HISTORIES);
});
