import { createWriteStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { TurnkeepError } from "../../protocol/index.ts";
import { plural } from "../plural.ts";
import { Progress } from "../progress.ts";
import { misuse } from "../read-arguments.ts";
import { everySession, type SessionDesk, someNamed } from "./session-desk.ts";

const ENDING = ".session.jsonl";

/** Writes each session to a file of its own. */
export async function exportSessions(desk: SessionDesk): Promise<void> {
  const { agent, owner, terminal, isJson, values } = desk;
  const folder = values.to ?? ".";
  const names = desk.named.length > 0 ? desk.named : await allNames(desk);
  await mkdir(folder, { recursive: true });
  const progress = new Progress(terminal, "exporting");
  for (const [index, sessionId] of names.entries()) {
    progress.show(index, names.length);
    const file = join(folder, `${encodeURIComponent(sessionId)}${ENDING}`);
    // One after the other: whoever exports is in no hurry, and the store has others to serve.
    // oxlint-disable-next-line no-await-in-loop
    await write(agent.exportSession(sessionId, owner), file);
    progress.end();
    terminal.out(isJson ? JSON.stringify({ sessionId, file }) : file);
  }
}

/** Makes sessions of such files. */
export async function importSessions(desk: SessionDesk): Promise<void> {
  const { agent, owner, terminal, isJson, values } = desk;
  const files = someNamed(desk, "file");
  if (values.as !== undefined && files.length > 1)
    throw misuse("--as names one session: import one file.");
  const progress = new Progress(terminal, "importing");
  for (const [index, file] of files.entries()) {
    progress.show(index, files.length);
    const sessionId = values.as ?? decodeURIComponent(basename(file).replace(ENDING, ""));
    // oxlint-disable-next-line no-await-in-loop
    const answer = await agent.importSession(sessionId, linesIn(file), owner);
    progress.end();
    if (answer.kind === "exists") {
      throw new TurnkeepError(
        "ALREADY_EXISTS",
        `There is a session "${sessionId}" already. Import it under another name with --as, or erase that one first.`,
      );
    }
    const { snapshots } = answer;
    terminal.out(
      isJson
        ? JSON.stringify({ sessionId, snapshots })
        : `${sessionId}: ${plural(snapshots, "snapshot")}`,
    );
  }
}

async function allNames(desk: SessionDesk): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { sessionId } of everySession(desk)) names.push(sessionId);
  return names;
}

// What people said is nobody else's business.
async function write(lines: AsyncIterable<string>, file: string): Promise<void> {
  await pipeline(withEnds(lines), createWriteStream(file, { mode: 0o600 }));
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.endsWith("\n") ? line : `${line}\n`;
}

async function* linesIn(file: string): AsyncGenerator<string> {
  const handle = await open(file).catch((error: unknown) => {
    throw new TurnkeepError("NOT_FOUND", `The file ${file} cannot be read.`, { cause: error });
  });
  yield* handle.readLines();
}
