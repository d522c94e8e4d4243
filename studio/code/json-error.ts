import { jsonLanguage } from "@codemirror/lang-json";

/** Where a text stops being JSON. Engines say so only of some mistakes, each in words of its own. */
export function jsonErrorAt(text: string): number | undefined {
  let first: number | undefined;
  jsonLanguage.parser.parse(text).iterate({
    enter: ({ type, from }) => {
      if (type.isError) first ??= from;
    },
  });
  return first;
}
