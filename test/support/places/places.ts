import type { ServiceName } from "../services-start.ts";
import { filePlace } from "./file-place.ts";
import { memoryPlace } from "./memory-place.ts";
import type { Place } from "./place.ts";
import { postgresPlace } from "./postgres-place.ts";
import { redisPlace } from "./redis-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

export type PlaceName = "memory" | "sqlite" | "file" | "postgres" | "redis";

export interface PlaceKind {
  /** The server it needs, if it needs one. */
  readonly service?: ServiceName;
  /** Makes an empty one. The address is that of the server. */
  readonly create: (url: string) => Promise<Place>;
}

/** Every store that tests, chaos, conformance and benchmarks are run on. A new store is one line here. */
export const PLACES: Readonly<Record<PlaceName, PlaceKind>> = {
  memory: { create: memoryPlace },
  sqlite: { create: sqlitePlace },
  file: { create: filePlace },
  postgres: { service: "postgres", create: postgresPlace },
  redis: { service: "redis", create: redisPlace },
};

export const PLACE_NAMES: readonly PlaceName[] = Object.keys(PLACES) as PlaceName[];

export function isPlaceName(name: string): name is PlaceName {
  return Object.hasOwn(PLACES, name);
}
