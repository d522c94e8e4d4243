import type { SessionStore } from "turnkeep";
import { testStoreOn } from "../../support/places/test-place.ts";

/** Opens a store that is closed, and whose data is removed, when the test that asked for it has ended. */
export type OpenStore = () => Promise<SessionStore>;

/** The stores that authoring is tested over. */
export const STORES: readonly (readonly [name: string, open: OpenStore])[] = [
  ["memory", () => testStoreOn("memory")],
  ["sqlite", () => testStoreOn("sqlite")],
];
