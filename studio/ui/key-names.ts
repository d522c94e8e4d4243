const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** A key with the one that turns letters into commands, as this machine's keyboard calls it. */
export function withCommandKey(key: string): string {
  return isMac ? `⌘${key}` : `Ctrl ${key}`;
}
