import { misuse, readArguments } from "./read-arguments.ts";

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
  const known = Object.entries(OPTIONS).filter(([name]) => !unknown.some((one) => one === name));
  const options = Object.fromEntries(known) as typeof OPTIONS;
  const { positionals, values } = readArguments(args, options);
  const [module, ...others] = positionals;
  const { store, schema, prefix, tenant = [], all = false, json = false } = values;
  if (others.length > 0) throw misuse("Name one module that exports agents.");
  if ((module === undefined) === (store === undefined)) {
    throw misuse("Name a module that exports agents, or a --store.");
  }
  return { module, store, schema, prefix, tenants: tenant, all, json };
}
