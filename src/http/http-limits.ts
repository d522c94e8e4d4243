/** How much one client may ask for. */
export interface HttpLimits {
  readonly bodyBytes: number;
  /** Of a session that an operator imports. */
  readonly importBytes: number;
  /** How long a body may take to arrive. */
  readonly bodyMs: number;
  readonly urlLength: number;
  /** Streams that one principal may have open. */
  readonly streams: number;
  /** Runs of one principal that may be under way in this process, detached ones too. Those sent to workers by a `dispatcher` are theirs to limit. */
  readonly concurrentRuns: number;
  /** Requests a second of one principal that change something: inputs, forks, labels, deletions, imports. */
  readonly submissionsPerSecond: number;
  /** How many of them at once after a pause. */
  readonly submissionBurst: number;
  /** Requests a second of one principal that read, or abort a run. */
  readonly readsPerSecond: number;
  /** How many of them at once after a pause. */
  readonly readBurst: number;
  /** How long a reader may not read before it is dropped. */
  readonly stallMs: number;
  /** How often an idle stream says that it lives. */
  readonly pingMs: number;
  /** How long a stream may last before its reader has to sign in again. */
  readonly streamMs: number;
  /** How long a client may wait for a turn in one request. */
  readonly waitMs: number;
}

/** The limits of a server that is not told others. */
export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1_048_576,
  importBytes: 67_108_864,
  bodyMs: 30_000,
  urlLength: 2048,
  streams: 20,
  concurrentRuns: 50,
  submissionsPerSecond: 10,
  submissionBurst: 20,
  readsPerSecond: 100,
  readBurst: 200,
  stallMs: 25_000,
  pingMs: 15_000,
  streamMs: 300_000,
  waitMs: 30_000,
};
