import { generateMiddleware, type Genkit, type MiddlewareRef } from "genkit";
import { currentTurn } from "./current-tool-call.ts";
import { ToolBook } from "./tool-book.ts";
import { ToolRunner } from "./tool-runner.ts";

/**
 * Middleware for `ai.generate` in a custom agent: its tools run like those of a prompt agent. Each call is a journaled step, so that it is not done twice
 * when another process goes on with the turn; an abort stops it; answers stand in the order of the requests. Outside of a turn it does nothing.
 *
 * @example
 * const response = await ai.generate({ messages, tools: [refund], use: [journalTools()] });
 */
export function journalTools(): MiddlewareRef {
  return MIDDLEWARE();
}

const MIDDLEWARE = generateMiddleware({ name: "turnkeep-journal" }, ({ ai }) => {
  const current = currentTurn();
  if (current === undefined) return {};
  const runner = new ToolRunner({ ...current, tools: new ToolBook(ai as unknown as Genkit) });
  return {
    generate: (envelope, options, next) => {
      current.turn.signal.throwIfAborted();
      runner.startRound();
      return next(envelope, options);
    },
    tool: (request, options, next) => runner.run(request, options, (given) => next(request, given)),
  };
});
