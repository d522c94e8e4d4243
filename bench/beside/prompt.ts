import type { MessageData } from "genkit";
import { SeededRandom } from "../../test/chaos/seeded-random.ts";
import { randomText } from "../random-text.ts";
import { type Comparison, type Sample, subjectName, type Task } from "./comparison.ts";
import { type Costs, countCosts } from "./costs.ts";
import { PROMPT_CALLERS, type PromptCaller } from "./prompt-callers.ts";

const MESSAGE_CHARACTERS = 200;
// Everybody is as warm as a server that has run for a while; who is slow takes fewer turns.
const WARM = { turns: 6000, mostMs: 3000 };
// So many that each pays its share of the full collections, of which there is one in some ten thousand turns.
const MEASURED = { turns: 12_000, mostMs: 6000 };
const QUICK = { turns: 20, mostMs: 50 };

/** What a turn of a prompt costs: ours, Genkit's own, and the call of `generate` that both of them make. */
export const comparison: Comparison = {
  name: "prompt",
  title:
    "One turn of an agent that is a prompt, on Genkit, with a model that answers at once, sessions in memory, by what was said before.",
  axis: "messages before",
  sizes: [0, 100, 1000],
  quickSizes: [0, 100],
  metrics: [
    { name: "cpuMs", label: "CPU of a turn, ms", better: "less" },
    { name: "wallMs", label: "time of a turn, ms", better: "less" },
  ],
  subjects: [
    { contender: "turnkeep", store: "memory" },
    { contender: "turnkeep", store: "without generate" },
    { contender: "genkit", store: "run" },
    { contender: "genkit", store: "run anew" },
    { contender: "genkit", store: "chat" },
    { contender: "genkit", store: "generate alone" },
    { contender: "genkit", store: "generate as ours calls it" },
  ],
  repetitions: 3,
  secondsEach: 30,
  measure,
};

interface Effort {
  readonly turns: number;
  readonly mostMs: number;
}

async function measure({ subject, size, isQuick }: Task): Promise<Sample> {
  const open = PROMPT_CALLERS[subjectName(subject)];
  if (open === undefined) throw new Error(`Nobody calls by "${subjectName(subject)}".`);
  const talk = sayAnything(size);
  const caller = await open(talk);
  // A turn of an empty session is its first one; others are talked in until they are a fifth longer.
  const sessions = new Sessions(caller, talk.length, Math.max(1, Math.floor(size / 10)));
  const [warm, measured] = isQuick ? [QUICK, QUICK] : [WARM, MEASURED];
  await sessions.take(warm);
  const { turns, cpuMs, wallMs } = await sessions.take(measured);
  return { cpuMs: cpuMs / turns, wallMs: wallMs / turns };
}

/** Sessions in which turns are taken one after the other. */
class Sessions {
  readonly #caller: PromptCaller;
  readonly #talk: number;
  readonly #turnsEach: number;
  #seeded = 0;

  constructor(caller: PromptCaller, talk: number, turnsEach: number) {
    this.#caller = caller;
    this.#talk = talk;
    this.#turnsEach = turnsEach;
  }

  /** All sessions are ready before the first turn, so that none pays for what making others left behind. */
  async take({ turns, mostMs }: Effort): Promise<Costs & { readonly turns: number }> {
    const first = this.#seeded;
    await this.#seed(turns, mostMs);
    const most = Math.min(turns, (this.#seeded - first) * this.#turnsEach);
    const end = performance.now() + mostMs;
    const costs = countCosts();
    let taken = 0;
    do {
      await this.#caller.turn(first + Math.floor(taken / this.#turnsEach));
      taken += 1;
    } while (taken < most && performance.now() < end);
    return { ...costs(), turns: taken };
  }

  async #seed(turns: number, mostMs: number): Promise<void> {
    const end = performance.now() + mostMs;
    const until = this.#seeded + Math.ceil(turns / this.#turnsEach);
    do {
      if (this.#talk > 0) await this.#caller.seed(this.#seeded);
      this.#seeded += 1;
    } while (this.#seeded < until && performance.now() < end);
  }
}

function sayAnything(count: number): MessageData[] {
  const random = new SeededRandom(1);
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "model",
    content: [{ text: randomText(random, MESSAGE_CHARACTERS) }],
  }));
}
