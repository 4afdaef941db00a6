// "X changed": a hint to whoever watches it; watchers show the row that comes with it, or re-read. Nothing is ever
// decided from a hint.

/** What changed: a payment, a merchant's events, a delivery, by its id; or some rail account. */
export type Topic = `payment:${string}` | `events:${string}` | `delivery:${string}` | 'rails';

/** What is known of a change: the revision it led to, or the whole row as it was committed on this node. */
export type ChangeHint = { revision?: number | undefined; row?: object | undefined };

export type Listener = (news: ChangeHint) => void;

export type Changes = {
  /** Tells the watchers of this process only; with what is known, so that nobody reads what he has. */
  tell(topic: Topic, news?: ChangeHint): void;
  /** Tells every node's watchers; those of this process with what is known. */
  publish(topic: Topic, news?: ChangeHint): void;
  /** Returns the way to stop listening. */
  subscribe(topic: Topic, listener: Listener): () => void;
  /** Whether other nodes are told at once now; null where no Redis is named. */
  hasRedis(): boolean | null;
  close(): void;
};

const CHANNEL = 'balcao:changes';

/** In this process; with `redisUrl` on every node at once (without it other nodes learn by tailing events). */
export async function createChanges(redisUrl?: string): Promise<Changes> {
  const listeners = new Map<Topic, Set<Listener>>();
  const tell = (topic: Topic, news: ChangeHint = {}) => {
    for (const listener of listeners.get(topic) ?? []) listener(news);
  };
  const remote = redisUrl ? await joinRedis(redisUrl, tell) : null;
  return {
    tell,
    publish(topic, news) {
      tell(topic, news);
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
  tell: (topic: Topic) => void,
): Promise<{ publish(topic: Topic): void; isReady(): boolean; close(): void }> {
  // Loaded here, because the client takes 10 MiB and most nodes have no Redis.
  const { Redis } = await import('ioredis');
  const own = Math.random().toString(36).slice(2);
  const publisher = new Redis(url, { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 250 });
  const subscriber = new Redis(url);
  for (const client of [publisher, subscriber]) client.on('error', () => {});
  void subscriber.subscribe(CHANNEL).catch(() => {});
  subscriber.on('message', (_channel: string, message: string) => {
    const [from, topic] = message.split(' ');
    if (from !== own && topic) tell(topic as Topic);
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
