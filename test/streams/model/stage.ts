import { buildCustomAgent, type LocalAgent, type WorkDesk } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import type { Ports, SessionKey } from "../../../src/ledger/index.ts";
import { textOf } from "../../agent/agents.ts";
import { type Gate, gateOf, untilAborted } from "../../agent/life/waiting.ts";
import type { InputPlan, Sequence } from "./sequence.ts";
import { settled, type VirtualProcess, VirtualTime } from "./virtual-time.ts";

export const LEASE_MS = 300;
export const SESSION = "s";

/** One of the processes that serve the agent. */
export interface Process extends VirtualProcess {
  readonly agent: LocalAgent;
  readonly ports: Ports;
}

type StageOptions = Pick<Sequence, "tidies" | "snapshotWhen">;

interface PlannedInput {
  readonly plan: InputPlan;
  readonly gate: Gate;
}

/** Two processes over one store, in virtual time. */
export class Stage {
  readonly time: VirtualTime = new VirtualTime();
  readonly a: Process;
  readonly b: Process;
  readonly #store = new MemoryStore({ clock: this.time.clock });
  readonly #options: StageOptions;
  readonly #inputs = new Map<string, PlannedInput>();
  #ids = 0;
  #desk: WorkDesk | undefined;

  constructor(options: StageOptions) {
    this.#options = options;
    this.a = this.#start("a");
    this.b = this.#start("b");
  }

  /** Names an input of which the agent makes what is planned. */
  plan(plan: InputPlan): string {
    const name = `i${this.#inputs.size}`;
    this.#inputs.set(name, { plan, gate: gateOf() });
    return name;
  }

  /** Lets the agent go on with an input that it waits at. */
  release(which: number): void {
    [...this.#inputs.values()][which]?.gate.open();
  }

  releaseAll(): void {
    for (const { gate } of this.#inputs.values()) gate.open();
  }

  /** Process b takes over whatever is due. */
  async takeOver(): Promise<readonly SessionKey[]> {
    this.#desk ??= await this.b.agent.takeWorkDesk();
    const due = await this.#desk.findDue(10);
    for (const key of due) await this.#desk.take(key);
    return due;
  }

  /** Process a stops, is taken for dead, and comes back. */
  async kill(): Promise<void> {
    this.a.isFrozen = true;
    this.time.skip(LEASE_MS + 1);
    await this.takeOver();
    await settled(2);
    this.a.isFrozen = false;
  }

  #start(name: string): Process {
    const frozen = { isFrozen: false };
    const ports: Ports = {
      ids: { next: () => `${name}${String((this.#ids += 1)).padStart(25, "0")}` },
      random: { next: () => 0.5 },
      timers: this.time.timersOf(frozen),
    };
    const limits = { leaseMs: LEASE_MS };
    const { tidies, snapshotWhen: when } = this.#options;
    const snapshotWhen = when === "runEnd" ? (["runEnd"] as const) : when;
    const agent = buildCustomAgent(
      { name: "streamer", store: this.#store, ports, limits, onBusy: "queue", snapshotWhen },
      async ({ session, respond }) => {
        await session.run(async ({ message }, { attempt, signal }) => {
          const input = textOf(message);
          const { plan, gate } = this.#inputs.get(input) as PlannedInput;
          for (let chunk = 0; chunk < plan.chunks; chunk += 1)
            respond.text(`${input}.${name}.${attempt}.${chunk}`);
          const isHeedful = plan.waits === "heedful";
          if (plan.waits !== "not" && attempt === 1)
            await (isHeedful ? Promise.race([gate.promise, untilAborted(signal)]) : gate.promise);
          respond.text(`${input}.end`);
          if (plan.ends === "failed") throw new Error("as planned");
          session.addMessages({ role: "model", content: [{ text: `re: ${input}` }] });
          return { finishReason: plan.ends };
        });
        if (tidies) session.addMessages({ role: "model", content: [{ text: "tidied up" }] });
        return session.result();
      },
    );
    return Object.assign(frozen, { agent, ports });
  }
}
