import { createContext, type ReactElement, type ReactNode, use, useSyncExternalStore } from "react";
import type { Connection, LiveBus } from "../api/live-bus.ts";

const LiveBusContext = createContext<LiveBus | undefined>(undefined);

export function LiveBusProvider({
  bus,
  children,
}: {
  readonly bus: LiveBus;
  readonly children: ReactNode;
}): ReactElement {
  return <LiveBusContext value={bus}>{children}</LiveBusContext>;
}

export function useLiveBus(): LiveBus {
  const bus = use(LiveBusContext);
  if (bus) return bus;
  throw new Error("There is no LiveBusProvider above.");
}

export function useConnection(): Connection {
  const bus = useLiveBus();
  return useSyncExternalStore(bus.subscribe, () => bus.connection);
}
