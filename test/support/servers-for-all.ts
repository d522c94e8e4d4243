import { reportMissing } from "./services-missing.ts";
import { type ServiceName, type StartedServices, startServices } from "./services-start.ts";

/** The servers of a run, each started when it is first asked for. */
export class ServersForAll {
  readonly #started = new Map<ServiceName, Promise<StartedServices>>();

  /** Empty when the run goes on without it. @throws where a run must not. */
  async urlOf(name: ServiceName): Promise<string> {
    const started = this.#started.get(name) ?? startServices([name]);
    this.#started.set(name, started);
    const { running, missing } = await started;
    reportMissing(missing);
    return running[name]?.url ?? "";
  }

  async stop(): Promise<void> {
    const all = await Promise.all(this.#started.values());
    await Promise.all(all.map(({ stop }) => stop()));
  }
}
