import { openSqliteStore } from "turnkeep/stores/sqlite";
import { testStore } from "../../support/test-store.ts";
import { temporaryFile } from "./temporary-file.ts";

const paths = new WeakMap<object, string>();

async function openAt(path: string): ReturnType<typeof openSqliteStore> {
  const store = await openSqliteStore(path);
  paths.set(store, path);
  return store;
}

testStore("sqlite", {
  create: () => openAt(temporaryFile()),
  reopen: (store) => openAt(paths.get(store) ?? ""),
});
