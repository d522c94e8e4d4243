import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { whenOver } from "../agent/life/leftovers.ts";
import { startCli } from "../workers/start-cli.ts";

export interface Outcome {
  readonly code: number | NodeJS.Signals;
  readonly out: string;
  readonly err: string;
}

export interface Call {
  readonly cwd?: string;
  readonly input?: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A fresh folder to stand in. It is gone when the tests are over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-cli-"));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the built `turnkeep` to its end. */
export async function runTurnkeep(args: readonly string[], call: Call = {}): Promise<Outcome> {
  const { cwd, input = "", environment } = call;
  const child = startCli(args, environment, cwd);
  child.tell(input);
  const code = await child.ended;
  return { code, out: child.lines.join("\n"), err: child.complaints.join("\n") };
}

/** Whoever runs the tests may have keys of their own. */
export const NO_KEYS: NodeJS.ProcessEnv = {
  GEMINI_API_KEY: "",
  GOOGLE_API_KEY: "",
  GOOGLE_GENAI_API_KEY: "",
  OPENAI_API_KEY: "",
};

export const SHOP: string = fileURLToPath(new URL("modules/clerk.mjs", import.meta.url));
