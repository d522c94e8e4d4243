/** What the work returns. Work that throws before it first waits rejects like any other, without the promises that an async function would add to its own. */
export function promised<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}
