import { genkit } from "genkit";
import { defineAgent } from "turnkeep/genkit";

const ai = genkit({});
const one = defineAgent(ai, { name: "one", system: "Hi." });
const two = defineAgent(ai, { name: "two", system: "Hi." });

export const agents = { one, two };
