import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentSource, AnyLocalAgent } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { explainLoadFailure } from "./explain-load-failure.ts";

export interface AgentModule {
  /** The agents of all exports. Those that a registry gets later are among them, too. */
  readonly agents: AgentSource;
  /** Whatever the module exports under this name: who may call its agents. */
  readonly auth: unknown;
  /** Origins of web pages that may call them. */
  readonly origins: unknown;
  /** What their tokens cost. */
  readonly prices: unknown;
}

/**
 * The agents that a module exports, under whatever names: single agents, lists, objects of agents, registries.
 *
 * @throws TurnkeepError NOT_FOUND when there is no such file, FAILED_PRECONDITION when it cannot be loaded, exports no agents, or two of one name.
 */
export async function loadAgents(file: string): Promise<readonly AnyLocalAgent[]> {
  return (await loadModule(file)).agents.list();
}

/** Like `loadAgents`, with what else a module may say about them. */
export async function loadModule(file: string): Promise<AgentModule> {
  checkExists(file);
  const path = resolve(file);
  if (/^\.[cm]?tsx?$/.test(extname(path))) await understandTypeScript(path);
  const exported = await load(file, path);
  const agents = new ModuleAgents(Object.values(exported));
  checkAgents(file, { exported, agents: agents.list() });
  const { auth, origins, prices } = exported;
  return { agents, auth, origins, prices };
}

/** @throws TurnkeepError NOT_FOUND when there is no such file. */
export function checkExists(file: string): void {
  if (!existsSync(resolve(file))) throw new TurnkeepError("NOT_FOUND", `There is no file ${file}.`);
}

type Exports = Readonly<Record<string, unknown>>;

async function load(file: string, path: string): Promise<Exports> {
  try {
    return (await import(pathToFileURL(path).href)) as Exports;
  } catch (error) {
    const isForeign = (error as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION";
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      isForeign
        ? `${file} is TypeScript, which this Node does not read by itself. Run: npm install --save-dev tsx`
        : `${file} could not be loaded: ${await explainLoadFailure(path, error)}`,
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

/** The agents of a module's exports, each once. */
class ModuleAgents implements AgentSource {
  readonly #exports: readonly unknown[];

  constructor(exports: readonly unknown[]) {
    this.#exports = exports;
  }

  get(name: string): AnyLocalAgent | undefined {
    return this.list().find((agent) => agent.name === name);
  }

  list(): readonly AnyLocalAgent[] {
    return [...new Set(this.#exports.flatMap(agentsIn))];
  }
}

function checkAgents(
  file: string,
  module: { readonly exported: Exports; readonly agents: readonly AnyLocalAgent[] },
): void {
  const names = module.agents.map(({ name }) => name);
  if (names.length === 0) throw noAgents(file, Object.keys(module.exported));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new TurnkeepError("FAILED_PRECONDITION", `${file} exports two agents named "${twice}".`);
}

function noAgents(file: string, names: readonly string[]): TurnkeepError {
  const found = names.length === 0 ? "It exports nothing." : `It exports: ${names.join(", ")}.`;
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `${file} exports no agents. ${found} Export an agent, a list of agents or an AgentRegistry, under any name: export const agents = [support, research];`,
  );
}

function agentsIn(value: unknown): readonly AnyLocalAgent[] {
  if (isAgent(value)) return [value];
  if (isRegistry(value)) return value.list().filter(isAgent);
  if (Array.isArray(value)) return value.filter(isAgent);
  return isPlainObject(value) ? Object.values(value).filter(isAgent) : [];
}

// By what it can do: the module may have brought its own copy of this package along. Agents of Genkit's are functions.
function isAgent(value: unknown): value is AnyLocalAgent {
  return isRecord(value) && "name" in value && "takeWorkDesk" in value;
}

// Nothing else is asked for a list: an export may be a store, or a client whose `list` goes over the network.
function isRegistry(value: unknown): value is AgentSource {
  return isRecord(value) && ["get", "list", Symbol.iterator].every((name) => isCalled(value, name));
}

function isCalled(value: object, name: string | symbol): boolean {
  return typeof Reflect.get(value, name) === "function";
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
