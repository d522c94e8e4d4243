// Run by workerd: talks to whatever is asked for, and serves the rest.
import { handler } from "./counting-agent.mjs";
import { talk } from "./talk.mjs";

// oxlint-disable-next-line import/no-default-export -- that is how a worker is found
export default {
  async fetch(request) {
    const url = new URL(request.url).searchParams.get("talk-to");
    return url === null ? handler(request) : Response.json(await talk(url));
  },
};
