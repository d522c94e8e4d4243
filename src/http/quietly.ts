/** Tells the application something. What it does with that is no concern of the client's. */
export async function quietly(tell: () => unknown): Promise<void> {
  try {
    await tell();
  } catch {
    // There is nobody else to tell.
  }
}
