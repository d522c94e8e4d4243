export { FileStore, type FileStoreOptions } from "./file-store.ts";
export { openFileStore } from "./open-file-store.ts";
