import type { TestProject } from "vitest/node";
import { reportMissing } from "./services-missing.ts";
import { type ServiceName, startServices } from "./services-start.ts";

/** The servers every test run starts. A store that needs one adds its name here, and nothing else. */
const NEEDED_SERVICES: readonly ServiceName[] = ["postgres", "redis"];

declare module "vitest" {
  interface ProvidedContext {
    /** Empty when the run goes on without Postgres. */
    readonly postgresUrl: string;
    /** Empty when the run goes on without Redis. */
    readonly redisUrl: string;
  }
}

/** Vitest calls this once before all tests, and the function it returns once after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { running, missing, stop } = await startServices(NEEDED_SERVICES);
  try {
    reportMissing(missing);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide("postgresUrl", running.postgres?.url ?? "");
  project.provide("redisUrl", running.redis?.url ?? "");
  return stop;
}
