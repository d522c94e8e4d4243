import { buildCustomAgent } from "../../../dist/agent/index.js";

export default buildCustomAgent({ name: "forgetful" }, async () => {});
