// One agent for the commands that look at stores, on the built package, in one of several builds.
import process from "node:process";
import { defineCustomAgent } from "../../../dist/agent/index.js";
import { openPlace } from "../../support/places/open-place.mjs";

const { settings, build } = JSON.parse(process.env.TURNKEEP_SHOP);

const schema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      Array.isArray(value?.items)
        ? { value }
        : { issues: [{ message: "not a list", path: ["items"] }] },
  },
};

const BUILDS = {
  plain: schema,
  second: {
    version: 2,
    schema,
    migrate: ({ items }, fromVersion) => {
      if (items === "cursed") throw new Error(`no idea what to do with version ${fromVersion}`);
      return { items: [items] };
    },
  },
  unmigrated: { version: 2, schema },
};

// Agents that look for turns would work on what they are only to look at.
if (!(Symbol.for("turnkeep/looking-only") in globalThis)) process.stdout.write("at work\n");

export const agents = [
  defineCustomAgent(
    {
      name: "shop",
      store: await openPlace(settings),
      state: BUILDS[build],
      initialState: { items: [] },
    },
    () => {},
  ),
];
