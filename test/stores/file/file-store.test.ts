import { openFileStore } from "turnkeep/stores/file";
import { testStore } from "../../support/test-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folders = new WeakMap<object, string>();

async function openAt(folder: string): ReturnType<typeof openFileStore> {
  const store = await openFileStore(folder);
  folders.set(store, folder);
  return store;
}

testStore("file", {
  create: () => openAt(temporaryFolder()),
  reopen: (store) => openAt(folders.get(store) ?? ""),
});
