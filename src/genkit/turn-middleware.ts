import { generateMiddleware, type MessageData, type MiddlewareRef } from "genkit";
import { withOwnRefs } from "./distinct-refs.ts";
import type { RestartedTools } from "./restarted-tools.ts";
import { withSettledRound } from "./settled-round.ts";
import type { ToolRunner } from "./tool-runner.ts";
import type { TurnRecord } from "./turn-record.ts";

export interface TurnMiddlewareOptions {
  readonly record: TurnRecord;
  readonly tools: ToolRunner;
  readonly restarts: RestartedTools;
  readonly signal: AbortSignal;
}

/**
 * Stands around everything Genkit does in one turn. It stops the loop of tools when the turn must stop, keeps each completed round, and runs the
 * tools under the turn's care. It has to be the first: then the middleware of others works inside of it.
 */
export function turnMiddleware({
  record,
  tools,
  restarts,
  signal,
}: TurnMiddlewareOptions): MiddlewareRef {
  // Between the request that carries the answers and the one in which they stand behind the waiting message.
  let isResuming = false;
  const define = generateMiddleware({ name: "turnkeep" }, () => ({
    generate: (envelope, options, next) => {
      signal.throwIfAborted();
      const { currentTurn } = envelope;
      const request = isResuming ? settled(envelope.request) : envelope.request;
      // Genkit comes by here before each round: with the round before at the end of the request.
      if (currentTurn > 0) record.roundsDone(currentTurn, request.messages);
      else if (isResuming) record.resumed(request.messages);
      isResuming = request.resume !== undefined;
      tools.startRound();
      return next({ ...envelope, request }, options);
    },
    model: (request, options, next) =>
      next(request, options).then((response) => {
        record.addUsage(response.usage);
        return response;
      }),
    tool: async (request, options, next) => {
      const [asked = request] = withOwnRefs([request]);
      const work = tools.run(request, options, (given) => next(asked, given));
      return await (isResuming ? restarts.run(request, work) : work);
    },
  }));
  return define();
}

function settled<Request extends { readonly messages: MessageData[] }>(request: Request): Request {
  return { ...request, messages: withSettledRound(request.messages) };
}
