/** Something in the store that is not as it was written. */
export interface Damage {
  /** The row, as far as it is known; `record` for the session's head record. */
  readonly row: string;
  /** The snapshot that cannot be read because of it. */
  readonly snapshotId?: string;
  readonly problem: string;
}
