import type { Genkit } from "genkit";
import { TurnkeepError } from "../protocol/index.ts";

/**
 * Refuses a template that Handlebars cannot read. Helpers and partials may be defined later, so they are not looked for.
 *
 * @throws TurnkeepError INVALID_ARGUMENT that says where the template is broken.
 */
export function checkTemplate(ai: Genkit, template: string, where: string): void {
  const { dotprompt } = ai.registry;
  const { handlebars } = dotprompt as unknown as TemplateParser;
  try {
    handlebars?.parse?.(dotprompt.parse(template).template);
  } catch (cause) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `${where} is not a valid template: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** The error of a prompt that was rendered and failed. */
export function cannotRender(where: string, cause: unknown): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", `${where} cannot be rendered: ${messageOf(cause)}`, {
    cause,
  });
}

/** What of a Dotprompt is read here: its own compiler reads a template only when it renders it first. */
interface TemplateParser {
  readonly handlebars?: { readonly parse?: (template: string) => unknown };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
