import { defineCustomAgent, lookOnly } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, onTestFinished, test, vi } from "vitest";

test("agents look for turns from their definition on, unless the program only looks", () => {
  onTestFinished(
    () => void Reflect.deleteProperty(globalThis, Symbol.for("turnkeep/looking-only")),
  );
  const [busy, idle] = [new MemoryStore(), new MemoryStore()];
  const opened = [vi.spyOn(busy, "open"), vi.spyOn(idle, "open")];
  defineCustomAgent({ name: "busy", store: busy }, () => {});
  lookOnly();
  defineCustomAgent({ name: "idle", store: idle }, () => {});
  // A worker opens its store at once.
  expect(opened.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});
