import {
  DEFAULT_RETENTION,
  type Retention,
  type SessionStore,
  type SnapshotRetention,
} from "../ledger/index.ts";
import { checkNames, type KnownNames, TurnkeepError, unknownName } from "../protocol/index.ts";
import {
  type AgentOptions,
  type ClientStateOptions,
  DEFAULT_LIMITS,
  SNAPSHOT_EVENTS,
} from "./agent-options.ts";
import {
  ANYTHING,
  BUSY_POLICY,
  checkOptions,
  FLAG,
  FUNCTION,
  isObject,
  mustBe,
  OBJECT,
  oneOf,
  type OptionRule,
  type OptionRules,
  TEXT,
} from "./check-options.ts";

const LIMITS: KnownNames = { kind: "limit", names: Object.keys(DEFAULT_LIMITS) };

const RETENTION: KnownNames = namesOf<Retention>("retention option", {
  ...DEFAULT_RETENTION,
  snapshots: undefined,
});

const SNAPSHOT_RETENTION: KnownNames = namesOf<SnapshotRetention>("snapshot retention option", {
  keepLast: undefined,
  olderThanMs: undefined,
});

const CLIENT_STATE: KnownNames = namesOf<ClientStateOptions>("clientState option", {
  secret: undefined,
  seal: undefined,
  maxAgeMs: undefined,
});

function namesOf<Options>(kind: string, named: Record<keyof Options, unknown>): KnownNames {
  return { kind, names: Object.keys(named) };
}

const SNAPSHOT_POLICIES = ["always", "never"];

const SNAPSHOT_POLICY: OptionRule = {
  holds: (value) =>
    typeof value === "function" ||
    SNAPSHOT_POLICIES.includes(value as string) ||
    (Array.isArray(value) && value.every((event) => SNAPSHOT_EVENTS.includes(event as never))),
  refusal: (_, value) =>
    Array.isArray(value)
      ? unknownName(textOf(value.find(isNoEvent)), {
          kind: "snapshot event",
          names: SNAPSHOT_EVENTS,
        })
      : unknownName(textOf(value), { kind: "snapshot policy", names: SNAPSHOT_POLICIES }),
};

const TEXTS: OptionRule = mustBe(
  "a list of texts",
  (value) => Array.isArray(value) && value.every(TEXT.holds),
);

const AGENT_OPTIONS: OptionRules<AgentOptions<never>> = {
  name: mustBe(
    "text that is not blank",
    (value) => TEXT.holds(value) && String(value).trim() !== "",
  ),
  description: TEXT,
  // Checked where it is read.
  state: ANYTHING,
  initialState: ANYTHING,
  store: ANYTHING,
  dispatcher: OBJECT,
  onBusy: BUSY_POLICY,
  snapshotWhen: SNAPSHOT_POLICY,
  transformState: FUNCTION,
  transformStream: FUNCTION,
  checkInput: FUNCTION,
  readOutput: FUNCTION,
  limits: OBJECT,
  retention: OBJECT,
  clientState: OBJECT,
  clientParts: TEXTS,
  clientMetadata: TEXTS,
  clientResources: TEXTS,
  clientMedia: TEXTS,
  events: oneOf("place for events", ["store", "process"]),
  recordState: FLAG,
  about: OBJECT,
  describeTools: FUNCTION,
  linkedAgents: FUNCTION,
  tenant: TEXT,
  ports: OBJECT,
};

/**
 * Refuses options that are unknown, of a wrong type, or do not fit together.
 *
 * @throws TurnkeepError INVALID_ARGUMENT.
 */
export function checkAgentOptions<Custom>(options: AgentOptions<Custom>): void {
  if (isObject(options) && !AGENT_OPTIONS.name.holds(options.name)) throw noName();
  checkOptions(options, AGENT_OPTIONS);
  const { limits = {}, retention = {}, clientState = {} } = options;
  checkNames(limits, LIMITS);
  for (const [limit, value] of Object.entries(limits)) checkLimit(limit, value);
  checkNames(retention, RETENTION);
  checkNames(retention.snapshots ?? {}, SNAPSHOT_RETENTION);
  checkNames(clientState, CLIENT_STATE);
  checkTogether(options);
}

function checkTogether<Custom>(options: AgentOptions<Custom>): void {
  const { name, store, clientState, dispatcher } = options;
  if (store !== undefined) checkStore(name, store);
  if (dispatcher && !store) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `Agent '${name}' has a dispatcher but no store: workers find turns in a 'store'. Provide one, or remove 'dispatcher'.`,
    );
  }
  if (store && clientState) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `Agent '${name}' has a store, so clients carry no state: remove 'clientState' or 'store'.`,
    );
  }
}

/**
 * Refuses option names that neither an agent nor its caller knows.
 *
 * @internal
 * @throws TurnkeepError INVALID_ARGUMENT.
 */
export function checkOptionNames(options: object, more: readonly string[]): void {
  checkNames(options, { kind: "option", names: [...Object.keys(AGENT_OPTIONS), ...more] });
}

const STORE_METHODS: readonly (keyof SessionStore)[] = [
  "open",
  "load",
  "commit",
  "append",
  "range",
  "due",
  "watch",
  "list",
  "sweep",
  "close",
];

function checkStore(agent: string, store: unknown): void {
  if (isObject(store) && "then" in store && typeof store.then === "function") {
    throw noStore(agent, "it is a promise. Await it first.");
  }
  const missing = STORE_METHODS.filter((method) => !isObject(store) || !(method in store));
  if (missing.length === 0) return;
  throw noStore(
    agent,
    `${missing.join(", ")} missing. Open a store of turnkeep/stores, or wrap an object that has get and save: fromSessionStore({ get, save }).`,
  );
}

function noStore(agent: string, why: string): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `The store of agent '${agent}' must implement SessionStore: ${why}`,
    { details: { field: "store" } },
  );
}

function checkLimit(limit: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw new TurnkeepError("INVALID_ARGUMENT", `The limit ${limit} must be a number from 0 up.`, {
    details: { field: `limits.${limit}` },
  });
}

function noName(): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", "An agent needs a name that is not blank.");
}

function isNoEvent(event: unknown): boolean {
  return !SNAPSHOT_EVENTS.includes(event as never);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
