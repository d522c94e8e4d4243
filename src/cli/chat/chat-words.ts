import { plural } from "../plural.ts";
import { visibleText } from "../visible-text.ts";
import type { Chat } from "./chat.ts";
import { lastSaid, pathFrom } from "./snapshot-path.ts";

/** Something that is said to the chat and not to the agent. */
export interface ChatWord {
  readonly name: string;
  readonly help: string;
  readonly run: (chat: Chat, rest: string) => Promise<void>;
}

export const CHAT_WORDS: readonly ChatWord[] = [
  {
    name: "/back",
    help: "/back [N]      go back N turns; what you say next begins a branch",
    run: back,
  },
  {
    name: "/fork",
    help: "/fork [NAME]   go on in a new session that begins like this one",
    run: fork,
  },
  { name: "/state", help: "/state         the agent's own state and its artifacts", run: state },
  {
    name: "/detach",
    help: "/detach [TEXT] let the turn go on by itself; with a text, begin one so",
    run: detach,
  },
  { name: "/join", help: "/join          listen to a turn that goes on by itself", run: join },
  { name: "/help", help: "/help          this list", run: help },
  { name: "/quit", help: "/quit          or Ctrl-D; a turn that is under way goes on", run: quit },
];

export function findWord(line: string): { readonly word?: ChatWord; readonly rest: string } {
  const [, name, rest = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const word = CHAT_WORDS.find((one) => one.name === name);
  return word ? { word, rest } : { rest };
}

async function help(chat: Chat): Promise<void> {
  for (const word of CHAT_WORDS) chat.say(`  ${word.help}`);
  chat.say("  Ctrl-C stops the turn under way, and ends the talk when there is none.");
}

async function back(chat: Chat, rest: string): Promise<void> {
  const steps = Number(rest || "1");
  const { agent, owner, sessionId } = chat;
  const head = await chat.head();
  const path = pathFrom(await agent.listSnapshots(sessionId, owner), head?.snapshotId);
  const target = Number.isInteger(steps) && steps > 0 ? path[steps] : undefined;
  if (target === undefined) {
    chat.say(`  You can go back ${plural(Math.max(path.length - 1, 0), "turn")} at most: /back N.`);
    return;
  }
  chat.place = { snapshotId: target.snapshotId };
  const said = lastSaid(await agent.getSnapshot(target.snapshotId, owner));
  chat.say(`  Back where you said "${visibleText(said)}". What came after it stays, on a branch.`);
}

async function fork(chat: Chat, name: string): Promise<void> {
  const head = await chat.head();
  if (head === undefined) {
    chat.say("  There is nothing to fork yet: say something first.");
    return;
  }
  const named = name === "" ? {} : { sessionId: name };
  const forked = await chat.agent.fork(head.snapshotId, { ...chat.owner, ...named });
  chat.sessionId = forked.sessionId ?? chat.sessionId;
  chat.place = { sessionId: chat.sessionId };
  chat.say(`  You are in session ${visibleText(chat.sessionId)} now. The other stays as it is.`);
}

async function state(chat: Chat): Promise<void> {
  const { custom = null, artifacts = [] } = (await chat.head())?.state ?? {};
  chat.say(visibleText(JSON.stringify(custom, undefined, 2)));
  for (const { name = "(no name)" } of artifacts) chat.say(`  ▪ ${visibleText(name)}`);
}

async function detach(chat: Chat, text: string): Promise<void> {
  if (text === "") {
    chat.say("  No turn is under way. /detach TEXT begins one that goes on by itself.");
    return;
  }
  const message = { role: "user", content: [{ text }] } as const;
  await chat.agent.detach({ message }, { ...chat.place, ...chat.owner });
  chat.place = { sessionId: chat.sessionId };
  chat.say("  It goes on by itself. /join to listen; or leave, and come back later.");
}

async function join(chat: Chat): Promise<void> {
  if (!(await chat.join())) chat.say("  No turn is under way.");
}

async function quit(chat: Chat): Promise<void> {
  chat.quit();
}
