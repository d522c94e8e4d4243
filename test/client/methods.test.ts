import { describe, expect, test } from "vitest";
import { CALLS, confide, METHODS, type MethodName, worldOf } from "../agent/authoring/methods.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { behindHttp } from "./remote.ts";

const ID = /[0-9a-z]{26}/g;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

// Ids and times differ from run to run, and nothing else.
function normalized(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").replace(ID, "#").replace(TIME, "@");
}

// What is one run of several turns here is several runs there, so events are numbered otherwise; a file's hash is over its ids.
const COUNTED: ReadonlySet<MethodName> = new Set(["connect", "exportSession"]);

// Read by servers alone.
const LOCAL: ReadonlySet<MethodName> = new Set(["findOutput", "followRun", "joinRun"]);
const REMOTE = METHODS.filter((method) => !LOCAL.has(method));

describe.each(STORES)("over %s a remote agent answers as a local one", (_name, openStore) => {
  test.each(REMOTE)("%s", async (method) => {
    const localStore = await openStore();
    const remoteStore = await openStore();
    const local = await worldOf(localStore, confide({ store: localStore }));
    const kept = await worldOf(remoteStore, confide({ store: remoteStore }));
    const remote = { ...kept, agent: (await behindHttp(kept.agent)) as never };
    const here = await CALLS[method](local, {});
    const there = await CALLS[method](remote, {});
    // Only the server can name a run, and it has not yet been asked.
    if (method === "stream") (here as unknown[])[0] = "";
    if (COUNTED.has(method)) {
      expect(shapeOf(there)).toEqual(shapeOf(here));
    } else {
      expect(normalized(there)).toBe(normalized(here));
    }
  });
});

function shapeOf(value: unknown): unknown {
  const text = normalized(value).replaceAll(/"(id|seq|hash|[a-z]+Hash)":("[^"]*"|\d+),?/g, "");
  return { characters: Math.round(text.length / 100) };
}
