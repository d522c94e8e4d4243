/** Where the files of the page come from, by their paths below the page's own. */
export interface StudioFiles {
  /** `undefined` for a name that is not one of them. */
  readonly find: (name: string) => Promise<Uint8Array | undefined>;
}
