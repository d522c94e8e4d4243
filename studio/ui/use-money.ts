import { useQuery } from "@tanstack/react-query";
import { infoQuery } from "../api/queries.ts";

/** Says what something cost; nothing where that is not known. */
export function useMoney(): (cost: number | undefined) => string | undefined {
  const { data: info } = useQuery(infoQuery);
  const currency = info?.prices?.currency;
  return (cost) => {
    if (currency === undefined || cost === undefined) return undefined;
    const style = { style: "currency", currency, maximumFractionDigits: cost < 1 ? 5 : 2 } as const;
    return new Intl.NumberFormat(undefined, style).format(cost);
  };
}
