// What a model or a tool says must not move the cursor, change the window or pass for something of ours.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Text from elsewhere, without what a terminal would obey. */
export function visibleText(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
