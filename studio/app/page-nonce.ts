/** The word by which the page's own styles are let in. */
export function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="turnkeep-nonce"]')?.content ?? "";
}
