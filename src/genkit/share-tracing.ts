import { disableGenkitOTelInitialization, disableOTelRootSpanDetection } from "genkit/tracing";

/**
 * Makes Genkit use the OpenTelemetry that the program itself has set up, with its spans in the trace of whoever called: one tree from a request down
 * to the model. Call it before anything is asked of Genkit. With its developer tools, which want traces of their own, leave it out.
 */
export function shareTracing(): void {
  disableGenkitOTelInitialization();
  disableOTelRootSpanDetection();
}
