/** A worker at work. */
export interface RunningWorker {
  /**
   * Takes no more work. Turns under way have this long to end by themselves, none unless told; then their signals abort, and as soon as their handlers are
   * back they go on elsewhere, at once if there is another worker. Stores stay open: they are their openers'.
   */
  stop(options?: { readonly handOverMs?: number }): Promise<void>;
}
