import process from "node:process";
import { isRecordingLightly } from "../reflection/index.ts";

// Of the package, not of our own room; which one is installed, if any, shows when it is loaded.
const GENKIT_TRACING = "genkit/tracing";

interface GenkitTracing {
  readonly disableGenkitOTelInitialization: () => void;
  readonly disableOTelRootSpanDetection: () => void;
}

/**
 * Shows Genkit's spans in the Studio, each in the trace of the run it belongs to, as `shareTracing` of `turnkeep/genkit` does. By itself, Genkit
 * registers an OpenTelemetry SDK that sends them nowhere. Leaves alone whoever has an SDK, and Genkit's own developer tools.
 */
export async function showGenkitSpans(): Promise<void> {
  const { GENKIT_ENV, GENKIT_TELEMETRY_SERVER } = process.env;
  if (GENKIT_ENV === "dev" || GENKIT_TELEMETRY_SERVER) return;
  if (!isRecordingLightly() || !isGenkitLoaded()) return;
  const genkit = (await import(GENKIT_TRACING).catch(() => undefined)) as GenkitTracing | undefined;
  genkit?.disableGenkitOTelInitialization();
  genkit?.disableOTelRootSpanDetection();
}

// Genkit leaves this behind. To load it just to see would keep everybody else waiting.
function isGenkitLoaded(): boolean {
  return "__GENKIT_TELEMETRY_PROVIDER" in globalThis;
}
