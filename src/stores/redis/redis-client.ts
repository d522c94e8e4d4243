/** The part of an `ioredis` client the store uses. `Redis` of versions 5 and 6 fits it as is. */
export interface RedisNode extends RedisEvents {
  readonly options: RedisNodeOptions;
  readonly isCluster?: boolean;
  /** A second connection to the same server, for messages. */
  duplicate(override: SubscriberOptions): RedisNode;
}

/** The same of `Cluster`. */
export interface RedisCluster extends RedisEvents {
  readonly isCluster: boolean;
  readonly options: { readonly keyPrefix?: string | undefined };
  nodes(role: "master"): readonly RedisNode[];
}

/** What the store talks to: a `Redis` or a `Cluster` of ioredis fits as it is. */
export type RedisClient = RedisNode | RedisCluster;

/** How a connection waits for a server that is away, instead of giving up. */
export interface SubscriberOptions {
  readonly lazyConnect: boolean;
  readonly maxRetriesPerRequest: null;
  readonly autoResendUnfulfilledCommands: boolean;
}

/** The part of a client's options that the store looks at, to see how safe the server is to use. */
export interface RedisNodeOptions {
  readonly host?: string | undefined;
  readonly path?: string | null | undefined;
  readonly sentinels?: readonly unknown[] | null | undefined;
  readonly password?: string | null | undefined;
  readonly keyPrefix?: string | undefined;
}

interface RedisEvents {
  readonly status: string;
  call(command: string, values: (string | number)[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (detail: string) => void): unknown;
  off(event: string, listener: (detail: string) => void): unknown;
  disconnect(): void;
}

export function isCluster(client: RedisClient): client is RedisCluster {
  return client.isCluster === true;
}

/** The servers that are written to. */
export function primariesOf(client: RedisClient): readonly RedisNode[] {
  return isCluster(client) ? client.nodes("master") : [client];
}
