// Run by Deno: `talk <url>` prints what came of talking to it; `serve` serves until it is killed, and prints where.
import { handler } from "./counting-agent.mjs";
import { talk } from "./talk.mjs";

const [task, url] = Deno.args;
if (task === "talk") console.log(JSON.stringify(await talk(url)));
else {
  const onListen = ({ port }) => console.log(`http://127.0.0.1:${port}`);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, handler);
}
