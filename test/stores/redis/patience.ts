/** How long to look again and again for something that must come about: machines that run tests are busy. */
export const PATIENT = { timeout: 100_000, interval: 5 } as const;
