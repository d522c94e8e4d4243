import { readdir } from "node:fs/promises";
import { openFileStore } from "turnkeep/stores/file";
import { talkOver } from "./stores/talk-over.ts";

// Sessions as text files in a folder below where this runs.
const store = await openFileStore("sessions");
await talkOver(store);
await store.close();
console.log("in the folder:", (await readdir("sessions")).toSorted().join(", "));
