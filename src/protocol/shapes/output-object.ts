import { TurnkeepError } from "../turnkeep-error.ts";
import { errorFromData } from "./error-from-data.ts";
import type { AgentFinishReason } from "./agent-finish-reason.ts";
import type { AgentOutput, AgentOutputData } from "./agent-output.ts";
import type { Message } from "./message.ts";
import type { RuntimeError } from "./runtime-error.ts";

// Apart from the parser, which a browser does not load. What is not data is inherited or private: it is neither copied nor sent with the output.
class OutputObject {
  declare readonly message?: Message;
  declare readonly finishReason?: AgentFinishReason;
  declare readonly error?: RuntimeError;
  readonly #cause: unknown;

  constructor(data: object, cause: unknown) {
    Object.assign(this, data);
    this.#cause = cause;
  }

  get text(): string {
    // What has no text is joined as nothing.
    return this.message?.content.map(({ text }) => text).join("") ?? "";
  }

  get cause(): unknown {
    return this.#cause;
  }

  orThrow(): this {
    if (this.error) throw errorFromData(this.error, this.#cause);
    if (this.finishReason !== "aborted") return this;
    throw new TurnkeepError("CANCELLED", "The run was aborted.", { reason: "RUN_ABORTED" });
  }
}

/** The output of a run as its caller gets it. `cause` is what was thrown, where that was in this process. */
export function agentOutput<Custom, Output>(
  data: AgentOutputData<Custom, Output> & { readonly sessionId: string },
  cause?: unknown,
): AgentOutput<Custom, Output> {
  return new OutputObject(data, cause) as unknown as AgentOutput<Custom, Output>;
}
