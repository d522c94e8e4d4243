import type { Genkit } from "genkit";

// Helpers that need an argument. Handlebars calls them even where a template means a variable of that name.
const HELPERS = [
  "each",
  "if",
  "ifEquals",
  "json",
  "log",
  "lookup",
  "media",
  "role",
  "section",
  "unless",
  "unlessEquals",
  "with",
];

const prepared = new WeakSet<object>();

/**
 * Makes `{{role}}` print the input's `role` in every prompt of this Genkit, whether it is defined in code or in a file. `{{role "user"}}` stays the
 * helper. Without this, dotprompt writes a role marker into the text.
 */
export function allowPlainVariables(ai: Genkit): void {
  const dotprompt = ai.registry.dotprompt as unknown as HelperRegistry;
  if (prepared.has(dotprompt)) return;
  prepared.add(dotprompt);
  for (const name of HELPERS) {
    const helper = dotprompt.handlebars?.helpers?.[name];
    if (helper) ai.defineHelper(name, variableOr(name, helper) as never);
  }
}

/** What of a Dotprompt is read here. It has a public way to define helpers and none to look one up. */
interface HelperRegistry {
  readonly handlebars?: { readonly helpers?: Readonly<Record<string, Helper>> };
}

type Helper = (this: unknown, ...args: unknown[]) => unknown;

interface HelperOptions {
  readonly hash: object;
  readonly fn?: unknown;
}

function variableOr(name: string, helper: Helper): Helper {
  return function (...args) {
    const { hash, fn } = args.at(-1) as HelperOptions;
    const isVariable = args.length === 1 && Object.keys(hash).length === 0 && fn === undefined;
    return isVariable ? variableIn(this, name) : helper.apply(this, args);
  };
}

// As Handlebars itself reads variables: what the input has itself, nothing inherited.
function variableIn(scope: unknown, name: string): unknown {
  const isFound = typeof scope === "object" && scope !== null && Object.hasOwn(scope, name);
  return isFound ? (scope as Readonly<Record<string, unknown>>)[name] : undefined;
}
