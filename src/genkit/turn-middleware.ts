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
export function turnMiddleware(options: TurnMiddlewareOptions): MiddlewareRef {
  return MIDDLEWARE(new TurnConfig(options));
}

// One for all turns: Genkit gives each one that is defined a name in a way that makes engines think of it as a kind of its own, and keep that.
const MIDDLEWARE = generateMiddleware({ name: "turnkeep" }, ({ config }) =>
  hooksOf((config as unknown as TurnConfig).options),
);

type Hooks = ReturnType<Parameters<typeof generateMiddleware>[1]>;

/** What is between one turn and its hooks. It is no part of the request that Genkit writes into its traces. */
class TurnConfig {
  readonly options: TurnMiddlewareOptions;

  constructor(options: TurnMiddlewareOptions) {
    this.options = options;
  }

  toJSON(): undefined {
    return undefined;
  }
}

function hooksOf({ record, tools, restarts, signal }: TurnMiddlewareOptions): Hooks {
  // Between the request that carries the answers and the one in which they stand behind the waiting message.
  let isResuming = false;
  return {
    generate: (envelope, options, next) => {
      signal.throwIfAborted();
      const { currentTurn } = envelope;
      const request = isResuming ? settled(envelope.request) : envelope.request;
      const goOn = (): ReturnType<typeof next> => {
        isResuming = request.resume !== undefined;
        tools.startRound();
        return next({ ...envelope, request }, options);
      };
      // Genkit comes by here before each round: with the round before at the end of the request.
      if (currentTurn > 0) return record.roundsDone(currentTurn, request.messages).then(goOn);
      return isResuming ? record.resumed(request.messages).then(goOn) : goOn();
    },
    model: (request, options, next) =>
      next(request, options).then((response) => {
        record.modelAnswered(response);
        return response;
      }),
    tool: async (request, options, next) => {
      const [asked = request] = withOwnRefs([request]);
      const work = tools.run(request, options, (given) => next(asked, given));
      return await (isResuming ? restarts.run(request, work) : work);
    },
  };
}

function settled<Request extends { readonly messages: MessageData[] }>(request: Request): Request {
  return { ...request, messages: withSettledRound(request.messages) };
}
