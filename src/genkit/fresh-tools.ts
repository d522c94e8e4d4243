import type { ToolArgument } from "genkit";

/**
 * The tools for one request. Genkit makes those that are not in its registry known to each request, and complains of a tool that was made known
 * before; so each request gets copies of them.
 */
export function freshTools(tools: readonly ToolArgument[]): ToolArgument[] {
  return tools.map((tool) => (isDynamic(tool) ? copyOf(tool) : tool));
}

type Callable = Extract<ToolArgument, (...given: never[]) => unknown>;

function isDynamic(tool: ToolArgument): tool is Callable {
  return (
    typeof tool === "function" && "__action" in tool && tool.__action.metadata?.["dynamic"] === true
  );
}

function copyOf(tool: Callable): ToolArgument {
  const call = tool as (...given: unknown[]) => unknown;
  const copy = (...given: unknown[]): unknown => call(...given);
  return Object.assign(copy, tool, { __registry: undefined }) as ToolArgument;
}
