import { AGENT_HELP, AGENT_OPTIONS, findAgent } from "./find-agent.ts";
import type { Command, Terminal } from "./command.ts";
import { Chat } from "./chat/chat.ts";
import { misuse, readArguments } from "./read-arguments.ts";

const HELP = `Usage: turnkeep chat [<agent>] [options]

Talks to an agent: what it says comes as it is said, with the tools it uses.
Tools that wait for a person ask you. Ctrl-C stops the turn under way and, when
there is none, ends the talk. A turn that goes on when you leave is joined when
you come back.

  <agent>              its name; may be left out where there is only one
${AGENT_HELP}
  --session ID         which conversation (me); a new one if there is none
  --json               each update and each output as a line of JSON
  --help               this text

In the talk: /back /fork /state /detach /join /help /quit

Through a pipe, each line is a message:
  echo "my name is Ada" | turnkeep chat concierge

Exit codes: 0 the talk is over, 1 it could not begin, 2 called wrongly.`;

const OPTIONS = {
  ...AGENT_OPTIONS,
  session: { type: "string", short: "s" },
  json: { type: "boolean" },
} as const;

export const chatCommand: Command = {
  name: "chat",
  summary: "talk to an agent in the terminal",
  help: HELP,
  run,
};

async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  const { positionals, values } = readArguments(args, OPTIONS);
  if (positionals.length > 1) throw misuse("Name one agent.");
  const { session: sessionId = "me", json: isJson = false, tenant } = values;
  const { agent, close } = await findAgent(positionals[0], values);
  const whose = tenant === undefined ? {} : { tenant };
  await new Chat(terminal, { agent, sessionId, isJson, ...whose }).talk();
  await close();
}
