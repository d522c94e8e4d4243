/** The part of a pool the store uses. `Pool` of `pg` fits it as it is. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "connect", listener: (client: PostgresClient) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "connect", listener: (client: PostgresClient) => void): unknown;
}

/** The part of a pool's client the store uses. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>;
  on(event: "notification", listener: (message: PostgresNotification) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  /** Lets the process end although the connection is open. */
  unref?(): unknown;
  /** With `true` the connection is closed instead of used again. */
  release(destroy?: boolean): void;
}

/** A statement with its values. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: PostgresValue[];
  /** After so many milliseconds without an answer the query rejects. */
  readonly query_timeout?: number;
}

/** What a statement answered. */
export interface PostgresResult {
  readonly rows: unknown[];
}

/** What somebody told by NOTIFY. */
export interface PostgresNotification {
  readonly payload?: string | undefined;
}

/** Arrays are handed to Postgres as arrays. */
export type PostgresValue =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean)[];
