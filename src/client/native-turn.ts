import { NativeRun } from "./native-run.ts";
import type { RemoteTurn, TurnRequest } from "./remote-turn.ts";
import type { Transport } from "./transport.ts";

/** A turn on a server of ours. Its key lets it be sent again without being done twice. */
export function nativeTurn<Custom, Output>(
  transport: Transport,
  request: TurnRequest<Custom>,
  isKept: boolean,
): RemoteTurn<Custom, Output> {
  const { ports } = transport.options;
  // What else the caller passed goes along: the server refuses what it does not know.
  const { input, onBusy, expectedHead, requestId = ports.newId(), signal, ...init } = request;
  return new NativeRun(transport, {
    submit: {
      method: "POST",
      headers: { "idempotency-key": requestId },
      json: { input, init, onBusy, expectedHead },
    },
    isKept,
    giveUp: signal,
  });
}
