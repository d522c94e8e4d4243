import { buildCustomAgent } from "../../../dist/agent/index.js";

export const agents = buildCustomAgent({ name: "forgetful" }, async () => {});
