import process from "node:process";
import type { ServableAgents } from "../http/index.ts";
import type { RunningServer } from "../node/index.ts";
import { createReflection } from "../reflection/index.ts";
import { studio } from "../studio/index.ts";
import { type NearOptions, serveNear } from "./serve-near.ts";
import { showGenkitSpans } from "./show-genkit-spans.ts";

/** Hands the token from one start of a server to the next, so that the page that is open goes on. */
export const TOKEN_VARIABLE = "TURNKEEP_STUDIO_TOKEN";

export interface WatchedServer extends RunningServer {
  /** Opens the Studio. */
  readonly link: string;
}

/** Agents under `/agents`, the reflection API under `/api`, the Studio under `/studio`: for one's own machine. */
export async function serveWithStudio(
  agents: ServableAgents,
  options: NearOptions,
): Promise<WatchedServer> {
  const { onError } = options;
  const given = process.env[TOKEN_VARIABLE];
  const shared = { environment: process.env["NODE_ENV"], ...(onError && { onError }) };
  const reflection = createReflection(agents, { ...shared, ...(given && { token: given }) });
  const page = studio(agents, { ...shared, token: reflection.token });
  await showGenkitSpans();
  const server = await serveNear(agents, { ...options, beside: [reflection, page] });
  return { ...server, link: page.linkAt(server.url) };
}
