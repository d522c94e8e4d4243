// Agents under every name and in every shape that a module may export them in.
import { AgentRegistry, buildCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

const registry = new AgentRegistry();
registry.register(define("registered"));

export const support = define("single");
export const list = [define("listed"), support];
export const team = { lead: define("named") };
export const known = registry;
// oxlint-disable-next-line import/no-default-export -- users do
export default define("default");

// Exports that hold no agents, some of which nobody should ask.
export const auth = "public";
export const client = {
  get: () => {},
  list: () => {
    throw new Error("A client of something else was asked for its list.");
  },
};
export const broken = new (class {
  get agents() {
    throw new Error("A getter was read.");
  }
})();
export const nothing = null;
export const limit = 7;

// Registered after the module was loaded.
setTimeout(() => registry.register(define("late")), 0);

function define(name) {
  return buildCustomAgent({ name, store: new MemoryStore() }, async ({ session }) => {
    await session.run(() => ({ finishReason: "stop" }));
  });
}
