import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findSqliteClient } from "../../src/stores/sqlite/find-sqlite-client.ts";
import { CrashableServer } from "../support/crashable-server.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import type { Place, PlaceSettings } from "../support/places/place.ts";
import { type PlaceName, PLACES } from "../support/places/places.ts";

interface Parts {
  readonly place: Place;
  readonly server: CrashableServer | undefined;
  readonly lines: readonly FaultProxy[];
}

/** What a run of chaos stands on: an empty place, the server behind it, and the files that the workers write. */
export class ChaosGround {
  readonly place: Place;
  readonly server: CrashableServer | undefined;
  /** The network between each worker and the server; none where the workers share a disk. */
  readonly lines: readonly FaultProxy[];
  readonly #directory: string = mkdtempSync(join(tmpdir(), "turnkeep-chaos-"));
  /** What the tool did: a line for each time it ran. */
  readonly effects: string = join(this.#directory, "effects.txt");
  readonly journal: string = join(this.#directory, "journal.jsonl");

  static async open(store: PlaceName, workers: number): Promise<ChaosGround> {
    const { service, create } = PLACES[store];
    const server = service && (await CrashableServer.start(service));
    const lines = server
      ? await Promise.all(Array.from({ length: workers }, () => FaultProxy.start(server.port)))
      : [];
    return new ChaosGround({ place: await create(server?.url ?? ""), server, lines });
  }

  private constructor({ place, server, lines }: Parts) {
    this.place = place;
    this.server = server;
    this.lines = lines;
    writeFileSync(this.effects, "");
    writeFileSync(this.journal, "");
  }

  /** From which a worker opens the place: by its own line, where there is one. */
  settingsFor(worker: number): PlaceSettings {
    const { settings } = this.place;
    if (settings === undefined) throw new Error("Only one process can open this place.");
    const line = this.lines[worker];
    if (line === undefined) return settings;
    const url = new URL(settings["url"] ?? "");
    url.port = String(line.port);
    return { ...settings, url: url.href };
  }

  /** What the store's own engine finds wrong with its data. */
  async damage(): Promise<readonly string[]> {
    const { settings } = this.place;
    if (settings?.kind !== "sqlite") return [];
    const { DatabaseSync } = await findSqliteClient();
    const database = new DatabaseSync(settings["path"] ?? "");
    const found = database.prepare("pragma integrity_check").all() as { integrity_check: string }[];
    database.close();
    const text = found.map((row) => row.integrity_check).join("; ");
    return text === "ok" ? [] : [`the database is damaged: ${text}`];
  }

  async remove(): Promise<void> {
    await this.place.remove().catch(() => {});
    await Promise.all(this.lines.map((line) => line.stop()));
    await this.server?.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
