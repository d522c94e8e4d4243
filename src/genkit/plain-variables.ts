// Dotprompt's helpers that mean nothing without an argument. Handlebars would call them even where a variable of that name is meant.
const HELPERS = ["role", "media", "section", "json", "ifEquals", "unlessEquals"];

/**
 * The template with the variables that the prompt's input has, where a helper is named the same: `{{role}}` prints the input's `role`, while
 * `{{role "user"}}` stays the helper.
 */
export function withPlainVariables<Template>(
  template: Template,
  names: Iterable<string>,
): Template {
  if (typeof template !== "string") return template;
  const hidden = [...names].filter((name) => HELPERS.includes(name));
  if (hidden.length === 0) return template;
  const variable = new RegExp(`(\\{\\{\\{?~?\\s*)(${hidden.join("|")})(?=\\s*~?\\}\\})`, "g");
  return template.replaceAll(variable, "$1@root.$2") as Template & string;
}
