import { MemoryStore } from "turnkeep/stores/memory";
import { testStore } from "../../support/test-store.ts";

testStore("memory", { create: async () => new MemoryStore() });
