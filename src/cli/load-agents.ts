import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyLocalAgent } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";

/**
 * The agents that a module exports: as `agents` or by default, one, a list or an object of them.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such file, FAILED_PRECONDITION when it cannot be loaded or exports no agents.
 */
export async function loadAgents(file: string): Promise<readonly AnyLocalAgent[]> {
  const path = resolve(file);
  if (!existsSync(path)) throw new TurnkeepError("NOT_FOUND", `There is no file ${file}.`);
  const { agents, default: byDefault } = await load(file, path);
  const found = [...agentsIn(agents), ...agentsIn(byDefault)];
  if (found.length > 0) return [...new Set(found)];
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    `${file} exports no agents. Export them as "agents": export const agents = [support, research];`,
  );
}

async function load(
  file: string,
  path: string,
): Promise<{ readonly agents?: unknown; readonly default?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as object;
  } catch (error) {
    const { stack, message } = error instanceof Error ? error : new Error(String(error));
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `${file} could not be loaded: ${stack ?? message}`,
      { cause: error },
    );
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
