import { buildCustomAgent } from "turnkeep";

export const first = buildCustomAgent({ name: "twin" }, () => {});
export const second = [buildCustomAgent({ name: "twin" }, () => {})];
