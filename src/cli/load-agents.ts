import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyLocalAgent } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

export interface AgentModule {
  readonly agents: readonly AnyLocalAgent[];
  /** Whatever the module exports under this name: who may call its agents. */
  readonly auth: unknown;
  /** What their tokens cost. */
  readonly prices: unknown;
}

/**
 * The agents that a module exports: as `agents` or by default, one, a list or an object of them.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such file, FAILED_PRECONDITION when it cannot be loaded or exports no agents.
 */
export async function loadAgents(file: string): Promise<readonly AnyLocalAgent[]> {
  return (await loadModule(file)).agents;
}

/** Like `loadAgents`, with what else a module may say about them. */
export async function loadModule(file: string): Promise<AgentModule> {
  const path = resolve(file);
  if (!existsSync(path)) throw new TurnkeepError("NOT_FOUND", `There is no file ${file}.`);
  if (/^\.[cm]?tsx?$/.test(extname(path))) await understandTypeScript(path);
  const { agents, default: byDefault, auth, prices } = await load(file, path);
  const found = [...agentsIn(agents), ...agentsIn(byDefault)];
  if (found.length > 0) return { agents: [...new Set(found)], auth, prices };
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `${file} exports no agents. Export them as "agents": export const agents = [support, research];`,
  );
}

interface Loaded {
  readonly agents?: unknown;
  readonly default?: unknown;
  readonly auth?: unknown;
  readonly prices?: unknown;
}

async function load(file: string, path: string): Promise<Loaded> {
  try {
    return (await import(pathToFileURL(path).href)) as object;
  } catch (error) {
    const { stack, message } = error instanceof Error ? error : new Error(String(error));
    const isForeign = (error as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION";
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      isForeign
        ? `${file} is TypeScript, which this Node does not read by itself. Run: npm install --save-dev tsx`
        : `${file} could not be loaded: ${stack ?? message}`,
      { cause: error },
    );
  }
}

// By tsx, where the module's own project has it. Newer versions of Node do without.
async function understandTypeScript(path: string): Promise<void> {
  try {
    // To load it is to switch it on.
    await import(pathToFileURL(createRequire(path).resolve("tsx")).href);
  } catch {
    // Then Node says what it thinks of the file.
  }
}

function agentsIn(value: unknown): readonly AnyLocalAgent[] {
  if (isAgent(value)) return [value];
  return typeof value === "object" && value !== null ? Object.values(value).filter(isAgent) : [];
}

// By what it can do: the module may have brought its own copy of this package along.
function isAgent(value: unknown): value is AnyLocalAgent {
  return typeof value === "object" && value !== null && "name" in value && "takeWorkDesk" in value;
}
