import type { RunUpdate } from "../../agent/index.ts";
import type { AgentOutputData, Artifact, Json, Message, ModelChunk } from "../../protocol/index.ts";
import type { Terminal } from "../command.ts";
import { type Paint, paintFor } from "../paint.ts";
import { plural } from "../plural.ts";
import { visibleText } from "../visible-text.ts";

const LONGEST = 160;

/** Prints one turn as it comes. */
export class TurnPrinter {
  readonly #terminal: Terminal;
  readonly #paint: Paint;
  #isMidLine = false;
  #hasSpoken = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#paint = paintFor(terminal);
  }

  show({ type, chunk }: RunUpdate): void {
    if (type === "restarted") this.#note("the turn begins again: its worker was gone");
    if (type === "moved") this.#note("somebody else said something meanwhile");
    if (chunk?.modelChunk) this.#words(chunk.modelChunk);
    if (chunk?.status !== undefined) this.#note(`· ${brief(chunk.status)}`);
    if (chunk?.artifact) this.#note(`▪ ${describeArtifact(chunk.artifact)}`);
  }

  end({ finishReason, message, error }: AgentOutputData): void {
    // Not every agent streams what it says.
    if (!this.#hasSpoken && message) this.#write(textOf(message));
    this.#endLine();
    const { out } = this.#terminal;
    const { red, yellow } = this.#paint;
    if (finishReason === "aborted") out(yellow("  (stopped)"));
    else if (finishReason === "detached") out(yellow("  (goes on by itself; /join to listen)"));
    else if (error) out(red(`  ${error.status ?? "failed"}: ${visibleText(error.message)}`));
    else if (finishReason !== "stop" && finishReason !== "interrupted") {
      out(yellow(`  (${finishReason ?? "ended"})`));
    }
  }

  #words({ role, content }: ModelChunk): void {
    for (const { text, toolRequest, toolResponse } of content) {
      if (toolRequest) this.#note(`→ ${toolRequest.name} ${brief(toolRequest.input ?? null)}`);
      if (toolResponse) this.#note(`← ${toolResponse.name} ${brief(toolResponse.output ?? null)}`);
      if (text !== undefined && role !== "tool") this.#write(text);
    }
  }

  #write(text: string): void {
    if (text === "") return;
    this.#hasSpoken = true;
    this.#isMidLine = true;
    this.#terminal.output.write(visibleText(text));
  }

  #note(text: string): void {
    this.#endLine();
    this.#terminal.out(this.#paint.dim(`  ${visibleText(text)}`));
  }

  #endLine(): void {
    if (this.#isMidLine) this.#terminal.output.write("\n");
    this.#isMidLine = false;
  }
}

export function textOf(message: Message | undefined): string {
  return (message?.content ?? []).map(({ text = "" }) => text).join("");
}

/** Anything in one line. */
export function brief(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function describeArtifact({ name = "an artifact", parts }: Artifact): string {
  const kinds = parts.map(({ text, media }) => {
    if (text !== undefined) return plural(text.length, "character");
    return media?.contentType ?? "data";
  });
  return `${name} (${kinds.join(", ")})`;
}
