import { useQuery } from "@tanstack/react-query";
import { infoQuery } from "../api/queries.ts";

export interface Money {
  /** Whether the server was given any prices. */
  readonly hasPrices: boolean;
  /** Says what something cost; nothing where that is not known. */
  readonly money: (cost: number | undefined) => string | undefined;
}

export function useMoney(): Money {
  const { data: info } = useQuery(infoQuery);
  const currency = info?.prices?.currency;
  const money: Money["money"] = (cost) => {
    if (currency === undefined || cost === undefined) return undefined;
    const style = { style: "currency", currency, maximumFractionDigits: cost < 1 ? 5 : 2 } as const;
    return new Intl.NumberFormat(undefined, style).format(cost);
  };
  return { hasPrices: currency !== undefined, money };
}
