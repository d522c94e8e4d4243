/** Whoever goes by keyboard stays near when what had the focus goes away, or can no longer be used. */
export function keepFocus(): void {
  let path: readonly HTMLElement[] = [];
  document.addEventListener("focusin", ({ target }) => {
    path = target instanceof HTMLElement ? [target, ...ancestorsOf(target)] : [];
  });
  const look = (): void => {
    const [last] = path;
    if (last === undefined || document.activeElement !== document.body) return;
    if (last.isConnected && !last.matches(":disabled")) return;
    const near = path.find((one) => one !== last && one.isConnected && one.matches("[tabindex]"));
    // What takes it is the next to be remembered; where nothing does yet, the next change tries again.
    (near ?? document.querySelector("h1"))?.focus({ preventScroll: true });
  };
  const watch = { subtree: true, childList: true, attributeFilter: ["disabled"] };
  new MutationObserver(look).observe(document.body, watch);
}

function ancestorsOf({ parentElement }: HTMLElement): readonly HTMLElement[] {
  return parentElement === null ? [] : [parentElement, ...ancestorsOf(parentElement)];
}
