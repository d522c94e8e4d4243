import { startServices } from "../services-start.ts";
import type { Place } from "./place.ts";
import { type PlaceName, PLACES } from "./places.ts";

export interface StartedPlaces {
  readonly create: () => Promise<Place>;
  /** Ends the server, if one was started. */
  readonly stop: () => Promise<void>;
}

/**
 * For commands: starts the server that places of this kind need.
 * @throws when it cannot be had.
 */
export async function startPlaces(name: PlaceName): Promise<StartedPlaces> {
  const { service, create } = PLACES[name];
  if (service === undefined) return { create: () => create(""), stop: async () => {} };
  const { running, missing, stop } = await startServices([service]);
  const url = running[service]?.url;
  if (url === undefined) throw new Error(`No ${service} to be had: ${missing[0]?.reason}`);
  return { create: () => create(url), stop };
}
