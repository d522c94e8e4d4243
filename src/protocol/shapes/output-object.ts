import type { AgentOutput, AgentOutputData } from "./agent-output.ts";
import type { Message } from "./message.ts";

// Apart from the parser, which a browser does not load. The text is inherited: it is neither copied nor sent with the output.
class OutputObject {
  declare readonly message?: Message;

  constructor(data: object) {
    Object.assign(this, data);
  }

  get text(): string {
    // What has no text is joined as nothing.
    return this.message?.content.map(({ text }) => text).join("") ?? "";
  }
}

/** The output of a run as its caller gets it. */
export function agentOutput<Custom, Output>(
  data: AgentOutputData<Custom, Output> & { readonly sessionId: string },
): AgentOutput<Custom, Output> {
  return new OutputObject(data) as unknown as AgentOutput<Custom, Output>;
}
