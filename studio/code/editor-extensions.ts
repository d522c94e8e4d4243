import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { pageNonce } from "../app/page-nonce.ts";

export type Language = "json" | "javascript" | "markdown" | "text";

const COLOURS = HighlightStyle.define([
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--info)" },
  { tag: [tags.propertyName, tags.heading], color: "var(--violet)" },
  { tag: [tags.keyword, tags.typeName], color: "var(--accent)" },
  { tag: tags.comment, color: "var(--faint)" },
  { tag: tags.link, color: "var(--accent)" },
]);

const LOOKS = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-content": { fontFamily: "var(--font-mono)", caretColor: "var(--ink)" },
  ".cm-gutters": {
    backgroundColor: "var(--sunken)",
    color: "var(--faint)",
    border: "none",
    fontFamily: "var(--font-mono)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-wash) !important",
  },
});

const LANGUAGES: Readonly<Record<Language, () => Extension>> = {
  json,
  javascript: () => javascript({ typescript: true, jsx: true }),
  markdown: () => markdown(),
  text: () => [],
};

// Wrapping a very long line takes seconds.
const LONGEST_WRAPPED = 100_000;

export function editorExtensions({
  label,
  language,
  isEditable,
  text,
}: {
  readonly label: string;
  readonly language: Language;
  readonly isEditable: boolean;
  readonly text: string;
}): Extension {
  const hasLongLine = text.split("\n", 2000).some(({ length }) => length > LONGEST_WRAPPED);
  return [
    EditorView.cspNonce.of(pageNonce()),
    // In the order of the Tab key, so that what is long can be scrolled by keys.
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    lineNumbers(),
    history(),
    bracketMatching(),
    search({ top: true }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
    syntaxHighlighting(COLOURS),
    LOOKS,
    hasLongLine ? [] : [EditorView.lineWrapping, LANGUAGES[language]()],
    isEditable ? [] : [EditorState.readOnly.of(true)],
  ];
}
