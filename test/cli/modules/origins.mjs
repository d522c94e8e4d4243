import { defineCustomAgent } from "turnkeep";

export const agents = [
  defineCustomAgent({ name: "host" }, async ({ session }) => session.result()),
];
export const auth = "public";
export const origins = ["https://app.example"];
