import { type Genkit, type ToolAction, ToolInterruptError, z } from "genkit";

/** The tools that the spec's agents have. */
export interface SpecTools {
  readonly testTool: ToolAction;
  readonly interruptTool: ToolAction;
  readonly restartTool: ToolAction;
}

export function defineSpecTools(ai: Genkit): SpecTools {
  return {
    testTool: ai.defineTool(
      {
        name: "testTool",
        description: "Says that it was called.",
        inputSchema: z.object({}),
        outputSchema: z.string(),
      },
      async () => "tool called",
    ),
    interruptTool: ai.defineTool(
      {
        name: "interruptTool",
        description: "Leaves its answer to the client.",
        inputSchema: z.object({ query: z.string() }),
        outputSchema: z.object({ answer: z.string() }),
      },
      async () => {
        throw new ToolInterruptError();
      },
    ),
    restartTool: ai.defineTool(
      {
        name: "restartTool",
        description: "Acts when the client has confirmed it.",
        inputSchema: z.object({ action: z.string() }),
        outputSchema: z.object({ result: z.string() }),
      },
      async ({ action }, { resumed }) => {
        if (!resumed) throw new ToolInterruptError({ requiresConfirmation: true });
        return { result: `confirmed: ${action}` };
      },
    ),
  };
}
