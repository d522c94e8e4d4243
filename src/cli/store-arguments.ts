import { parseArgs } from "node:util";
import { TurnkeepError } from "../protocol/index.ts";

/** What the commands that look at stores are told. */
export interface StoreArguments {
  readonly module: string | undefined;
  readonly store: string | undefined;
  readonly schema: string | undefined;
  readonly prefix: string | undefined;
  readonly tenants: readonly string[];
  readonly all: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  store: { type: "string" },
  schema: { type: "string" },
  prefix: { type: "string" },
  tenant: { type: "string", multiple: true },
  all: { type: "boolean" },
  json: { type: "boolean" },
} as const;

/**
 * What a command was told, which knows all these options but the ones named.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it was called wrongly.
 */
export function readStoreArguments(
  args: readonly string[],
  { unknown }: { readonly unknown: readonly (keyof typeof OPTIONS)[] },
): StoreArguments {
  const { positionals, values } = parsed(args);
  const strange = unknown.find((name) => values[name] !== undefined);
  if (strange !== undefined) throw misuse(`Unknown option '--${strange}'.`);
  const [module, ...others] = positionals;
  const { store, schema, prefix, tenant = [], all = false, json = false } = values;
  if (others.length > 0) throw misuse("Name one module that exports agents.");
  if ((module === undefined) === (store === undefined)) {
    throw misuse("Name a module that exports agents, or a --store.");
  }
  return { module, store, schema, prefix, tenants: tenant, all, json };
}

function parsed(args: readonly string[]): {
  readonly positionals: readonly string[];
  readonly values: {
    readonly store?: string | undefined;
    readonly schema?: string | undefined;
    readonly prefix?: string | undefined;
    readonly tenant?: readonly string[] | undefined;
    readonly all?: boolean | undefined;
    readonly json?: boolean | undefined;
  };
} {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw misuse((error as Error).message);
  }
}

function misuse(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}
