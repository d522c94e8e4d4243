import type { InspectedSession, ReadOptions } from "../agent/index.ts";
import type { ServedAgent } from "../http/index.ts";
import type { Json } from "../protocol/index.ts";

/** Where a scan of one agent's sessions is: so many were taken of the page that begins there. */
interface Place {
  readonly after: string | null;
  readonly taken: number;
  readonly isDone: boolean;
}

/** A session that was come across. */
export interface ScannedSession {
  readonly agent: ServedAgent;
  readonly session: InspectedSession;
}

export interface ScanOptions {
  readonly reader: ReadOptions;
  readonly activity?: "active" | "idle";
  /** What `position` said when an earlier scan stopped. */
  readonly from?: Json;
}

const PAGE = 50;

/** Goes through the sessions of some agents, last updated first, and can be gone on with later. */
export class SessionScan {
  readonly #lanes: readonly Lane[];

  constructor(agents: readonly ServedAgent[], options: ScanOptions) {
    const places = placesOf(options.from);
    this.#lanes = agents.map((agent) => new Lane(agent, options, places.get(agent.name)));
  }

  /** The next one; `undefined` when there are no more. */
  async next(): Promise<ScannedSession | undefined> {
    const first = await Promise.all(
      this.#lanes.map(async (lane) => ({ lane, session: await lane.peek() })),
    );
    const [newest] = first
      .flatMap(({ lane, session }) => (session ? [{ lane, session }] : []))
      .toSorted((left, right) => right.session.updatedAt - left.session.updatedAt);
    if (newest === undefined) return undefined;
    newest.lane.take();
    return { agent: newest.lane.agent, session: newest.session };
  }

  /** Where it is now. */
  get position(): Json {
    return this.#lanes.map(({ agent, place: { after, taken, isDone } }) => [
      agent.name,
      after,
      taken,
      isDone,
    ]);
  }
}

const START: Place = { after: null, taken: 0, isDone: false };

interface Page {
  readonly sessions: readonly InspectedSession[];
  readonly next?: string;
}

class Lane {
  readonly agent: ServedAgent;
  readonly #options: ScanOptions;
  #place: Place;
  #page: Page | undefined;

  constructor(agent: ServedAgent, options: ScanOptions, place: Place = START) {
    this.agent = agent;
    this.#options = options;
    this.#place = place;
  }

  get place(): Place {
    return this.#place;
  }

  async peek(): Promise<InspectedSession | undefined> {
    while (!this.#place.isDone) {
      this.#page ??= await this.#read();
      const session = this.#page.sessions[this.#place.taken];
      if (session) return session;
      const { next } = this.#page;
      this.#place = { after: next ?? null, taken: 0, isDone: next === undefined };
      this.#page = undefined;
    }
    return undefined;
  }

  take(): void {
    this.#place = { ...this.#place, taken: this.#place.taken + 1 };
  }

  async #read(): Promise<Page> {
    const { reader, activity } = this.#options;
    const { after } = this.#place;
    return await this.agent.inspector.listSessions({
      ...reader,
      limit: PAGE,
      ...(after !== null && { after }),
      ...(activity && { activity }),
    });
  }
}

// What is no place of ours is passed over: the scan then starts from the beginning.
function placesOf(from: Json | undefined): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const entry of Array.isArray(from) ? from : []) {
    const [name, after, taken, isDone] = Array.isArray(entry) ? (entry as readonly Json[]) : [];
    if (typeof name !== "string" || typeof taken !== "number") continue;
    const place = {
      after: typeof after === "string" ? after : null,
      taken,
      isDone: isDone === true,
    };
    places.set(name, place);
  }
  return places;
}
