export { agents, auth } from "./origins.mjs";
export const origins = "https://app.example";
