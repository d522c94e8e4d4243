export type { FromSessionStoreOptions } from "./document-store.ts";
export { fromSessionStore } from "./from-session-store.ts";
export type {
  PlainSessionData,
  PlainSessionList,
  PlainSessionName,
  PlainSessionStore,
} from "./plain-documents.ts";
export type { SnapshotSessionStore } from "./snapshot-documents.ts";
