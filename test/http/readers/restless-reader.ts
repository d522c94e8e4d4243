import { get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "../../chaos/seeded-random.ts";
import { type Reader, Reading, type SeenUpdate } from "./reading.ts";

// About half as many events are read between two breaks.
const MOST_EVENTS = 210;
// Whoever left by itself is soon back; whoever was left comes back within the time that the server asks for.
const PAUSE_MS = { left: { least: 0, most: 40 }, wasLeft: { least: 100, most: 1000 } };

/** How many events a restless reader sees before it leaves. */
export function patienceOf(random: SeededRandom): number {
  return 1 + random.below(MOST_EVENTS);
}

/**
 * Reads a run until its result has come, leaving in mid-stream and coming back where it left, whatever becomes of the server meanwhile. It knows of the protocol
 * only what any reader of server-sent events does, and costs little, so that a thousand of them leave a core to the server.
 */
export class RestlessReader implements Reader {
  readonly reading: Reading = new Reading();
  readonly #url: string;
  readonly #random: SeededRandom;
  #last = "";
  #isTold = false;

  constructor(url: string, random: SeededRandom) {
    this.#url = url;
    this.#random = random;
  }

  async read(): Promise<void> {
    for (;;) {
      const how = await this.#visit();
      if (this.#isTold) return;
      if (how === "left") this.reading.leaves += 1;
      else this.reading.losses += 1;
      const { least, most } = PAUSE_MS[how];
      await sleep(this.#random.between(least, most));
    }
  }

  // Resolves when the connection is gone, for whatever reason.
  #visit(): Promise<keyof typeof PAUSE_MS> {
    const headers = this.#last === "" ? {} : { "last-event-id": this.#last };
    return new Promise((resolve) => {
      let how: keyof typeof PAUSE_MS = "wasLeft";
      const leave = (): void => {
        how = "left";
        request.destroy();
      };
      const request = get(this.#url, { agent: false, headers }, (response) => {
        if (response.statusCode === 200) this.#listen(response, leave);
        else request.destroy();
      });
      request.on("error", () => {});
      request.on("close", () => resolve(how));
    });
  }

  #listen(response: IncomingMessage, leave: () => void): void {
    const enough = this.reading.seqs.length + patienceOf(this.#random);
    let rest = "";
    response.setEncoding("utf8");
    response.on("error", () => {});
    response.on("data", (text: string) => {
      const frames = (rest + text).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        this.#take(frame);
        if (this.reading.seqs.length === enough) return leave();
      }
    });
  }

  #take(frame: string): void {
    const fields = new Map(frame.split("\n").map(fieldOf));
    const data = (): unknown => JSON.parse(fields.get("data") ?? "null");
    if (fields.get("event") === "update") {
      this.#last = fields.get("id") ?? "";
      this.reading.note(data() as SeenUpdate);
    }
    if (fields.get("event") === "result") {
      this.#isTold = true;
      this.reading.finishReason = (data() as { readonly finishReason?: string }).finishReason;
    }
  }
}

function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}
