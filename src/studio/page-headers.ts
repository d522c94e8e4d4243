/** What the page may do: its own files and its own server, and nothing else. No script can be written into it. */
export function pageHeaders(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy.join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  };
}

/** Good for one page: 128 random bits. */
export function randomNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** The page with what it must know of this request: where it is, and the word that lets its own styles in. */
export function fillPage(
  html: string,
  { base, nonce }: { readonly base: string; readonly nonce: string },
): string {
  return html.replace(
    "<head>",
    () => `<head><base href="${escaped(base)}"><meta name="turnkeep-nonce" content="${nonce}">`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
