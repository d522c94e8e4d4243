import { type JsonObject, TurnkeepError } from "../protocol/index.ts";

/** What turns cost, as whoever runs the agents says: nothing is guessed, and what has no price is not counted. */
export interface Prices {
  /** Three letters, as "EUR". */
  readonly currency: string;
  /**
   * By agent, the price of a million of what a member of `usage` counts, as `{ support: { inputTokens: 3, outputTokens: 15 } }`; under `*`
   * for the agents that are not named.
   */
  readonly perMillion: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** @throws TurnkeepError INVALID_ARGUMENT for what is no currency or no price. */
export function checkPrices(prices: unknown): void {
  const { currency, perMillion } = isObject(prices) ? prices : {};
  const isCurrency = typeof currency === "string" && /^[A-Z]{3}$/.test(currency);
  const areAll = isObject(perMillion) && Object.values(perMillion).every(arePrices);
  if (isCurrency && areAll) return;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    "'prices' needs a 'currency' of three capital letters, and prices of 0 or more by agent in 'perMillion': { currency: \"EUR\", perMillion: { support: { inputTokens: 3 } } }.",
  );
}

function arePrices(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isPrice);
}

function isPrice(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What was used up, in the currency of the prices; `undefined` when none of it has a price. */
export function costOf(
  prices: Prices | undefined,
  agentName: string,
  usage: JsonObject | undefined,
): number | undefined {
  const own = prices && (ownOf(prices, agentName) ?? ownOf(prices, "*"));
  const priced = Object.entries(own ?? {}).flatMap(([name, price]) => {
    const used = usage?.[name];
    return typeof used === "number" ? [(used * price) / 1_000_000] : [];
  });
  return priced.length === 0 ? undefined : priced.reduce((sum, cost) => sum + cost, 0);
}

// Names are anybody's choice, also that of something every object has.
function ownOf({ perMillion }: Prices, name: string): Readonly<Record<string, number>> | undefined {
  return Object.hasOwn(perMillion, name) ? perMillion[name] : undefined;
}
