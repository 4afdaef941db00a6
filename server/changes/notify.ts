// Live updates: "X changed" messages within a node, and between nodes by Redis. Delivery is best effort.
// Subscribers show the row that comes with a change, or read it again. No decision depends on a change message.

/** The subject of a change: a payment or delivery by its id, a merchant's events, or all rail accounts. */
export type Topic = `payment:${string}` | `events:${string}` | `delivery:${string}` | 'rails';

/** Details of a change: the new revision, or the whole row as this node committed the row. */
export type ChangeDetails = { revision?: number | undefined; row?: object | undefined };

export type Listener = (news: ChangeDetails) => void;

export type Changes = {
  /** Notifies subscribers of this node only. `news` has the details, which save subscribers a query. */
  notifyLocal(topic: Topic, news?: ChangeDetails): void;
  /** Notifies subscribers of every node. Only subscribers of this node get the details in `news`. */
  publish(topic: Topic, news?: ChangeDetails): void;
  /** Adds a listener of a topic. Returns a function that ends the subscription. */
  subscribe(topic: Topic, listener: Listener): () => void;
  /** True if Redis currently notifies other nodes immediately. Null without a configured Redis. */
  hasRedis(): boolean | null;
  close(): void;
};

const CHANNEL = 'balcao:changes';

/** Creates the hub of changes. With Redis it notifies other nodes. Without Redis other nodes poll events (poll.ts). */
export async function createChanges(redisUrl?: string): Promise<Changes> {
  const listeners = new Map<Topic, Set<Listener>>();
  const notifyLocal = (topic: Topic, news: ChangeDetails = {}) => {
    for (const listener of listeners.get(topic) ?? []) listener(news);
  };
  const remote = redisUrl ? await joinRedis(redisUrl, notifyLocal) : null;
  return {
    notifyLocal,
    publish(topic, news) {
      notifyLocal(topic, news);
      remote?.publish(topic);
    },
    subscribe(topic, listener) {
      const known = listeners.get(topic) ?? new Set();
      listeners.set(topic, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(topic) === known) listeners.delete(topic);
      };
    },
    hasRedis: () => remote && remote.isReady(),
    close: () => remote?.close(),
  };
}

async function joinRedis(
  url: string,
  notifyLocal: (topic: Topic) => void,
): Promise<{ publish(topic: Topic): void; isReady(): boolean; close(): void }> {
  // The Redis client is imported on demand, since it takes 10 MiB of memory and most nodes have no Redis.
  const { Redis } = await import('ioredis');
  const own = Math.random().toString(36).slice(2);
  const publisher = new Redis(url, { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 250 });
  const subscriber = new Redis(url);
  for (const client of [publisher, subscriber]) client.on('error', () => {});
  void subscriber.subscribe(CHANNEL).catch(() => {});
  subscriber.on('message', (_channel: string, message: string) => {
    const [from, topic] = message.split(' ');
    if (from !== own && topic) notifyLocal(topic as Topic);
  });
  return {
    isReady: () => [publisher, subscriber].every(({ status }) => status === 'ready'),
    publish: (topic) => void publisher.publish(CHANNEL, `${own} ${topic}`).catch(() => {}),
    close() {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}
