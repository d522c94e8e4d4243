import { existsSync, readFileSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import type { Contender, OpenContender, OpenOptions } from "./contender.ts";
import { endFrames, serveTurns, writeFrame } from "./serve-turns.ts";

/** No product, but the limit: the least code that does the job. Its sessions cannot branch, be watched, aborted or taken over. */
export const contender: Contender = {
  name: "floor",
  packages: [],
  imports: ["node:http"],
  stores: ["lines"],
  lacks: {
    size: "nothing to install",
    abort: "no turn of it can be aborted",
    takeover: "a turn ends with its process",
  },
  open,
};

interface KeptMessage {
  readonly role: string;
  readonly content: readonly [{ readonly text: string }];
}

async function open({ store, model, folder = "" }: OpenOptions): Promise<OpenContender> {
  const sessions = new Map<string, KeptMessage[]>();
  const path = join(folder, "turns.jsonl");
  const file = store === "lines" ? await openFile(path, "a") : undefined;
  const messagesOf = (sessionId: string): KeptMessage[] => {
    const found = sessions.get(sessionId) ?? [];
    sessions.set(sessionId, found);
    return found;
  };
  const keep = async (sessionId: string, messages: readonly KeptMessage[]): Promise<void> => {
    messagesOf(sessionId).push(...messages);
    if (file === undefined) return;
    await file.appendFile(`${JSON.stringify({ sessionId, messages })}\n`);
    await file.datasync();
  };
  return {
    turn: async (sessionId, text) => {
      const answer = await model.answer(text);
      await keep(sessionId, [message("user", text), message("model", answer)]);
    },
    seed: async (sessionId, texts) => {
      const roles = ["user", "model"];
      const said = texts.map((text, index) => message(roles[index % 2] ?? "", text));
      sessions.set(sessionId, said);
    },
    resume: async (sessionId) => (file ? readLines(path) : messagesOf(sessionId)).length,
    storedBytes: async () => (existsSync(path) ? statSync(path).size : 0),
    changeState: async ({ entries }, changing) => {
      await changing((entry, hits) => {
        const found = entries[entry];
        if (found) found.hits = hits;
        JSON.stringify([{ op: "replace", path: `/entries/${entry}/hits`, value: hits }]);
      });
    },
    serve: () =>
      serveTurns(async ({ sessionId, text }, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const answer = await model.answer(text, (chunk) =>
          writeFrame(response, { message: { modelChunk: { content: [{ text: chunk }] } } }),
        );
        await keep(sessionId, [message("user", text), message("model", answer)]);
        endFrames(response, answer);
      }),
    close: async () => await file?.close(),
  };
}

function message(role: string, text: string): KeptMessage {
  return { role, content: [{ text }] };
}

function readLines(path: string): readonly KeptMessage[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.flatMap((line) => (JSON.parse(line) as { messages: KeptMessage[] }).messages);
}
