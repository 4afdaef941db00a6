// A TCP proxy in front of PostgreSQL that breaks connections at a chosen message of the protocol.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { stopLater } from './stop-later.ts';

/** Where each new connection breaks: after the client's start-up packet, or after its password. */
export type Refusal = 'startup' | 'authentication';

/**
 * When a statement's connection breaks. `unsent`: PostgreSQL never receives the statement. `sent`: the client is cut off as soon as
 * PostgreSQL has the statement. `answered`: PostgreSQL has executed it, and the client never receives the answer.
 */
export type Moment = 'unsent' | 'sent' | 'answered';

export type DatabaseProxy = {
  /** Leads to the same database. */
  url: string;
  /** Ends all connections, and breaks each new one there. */
  refuse(at: Refusal): void;
  /** Breaks the next connection that sends a matching statement. With `atCommit` it breaks at the commit that follows the statement. */
  breakAt(statement: RegExp, when: Moment, options?: { atCommit?: boolean; thenRefuse?: Refusal | null }): void;
  /** How many connections broke at a statement. */
  broken(): number;
  heal(): void;
  stop(): void;
};

type Break = { statement: RegExp; when: Moment; atCommit: boolean; thenRefuse: Refusal | null };

/** Bytes before the length of a message: a start-up packet has no type. */
const TYPE = 1;
const LENGTH = 4;

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let refusal: Refusal | null = null;
  let next: Break | null = null;
  let broken = 0;

  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  const refuse = (at: Refusal) => {
    refusal = at;
    drop();
  };
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('close', () => database.end());
    database.on('close', () => client.destroy());
    database.on('data', (chunk) => client.writable && client.write(chunk));
    const reader = readMessages();
    /** True between a matching statement and its commit. */
    let isInside = false;
    const matches = (text: string): boolean => {
      if (!next) return false;
      if (!next.atCommit) return next.statement.test(text);
      if (isInside && text === 'commit') return true;
      isInside ||= next.statement.test(text);
      return false;
    };
    client.on('data', (chunk) => {
      const messages = reader(chunk);
      const isRefused = messages.some(({ type }) => refusal === (type === 'p' ? 'authentication' : 'startup'));
      if (refusal && isRefused) return client.destroy();
      const isHit = messages.some(({ text }) => text !== null && matches(text));
      if (!isHit || !next) return void database.write(chunk);
      const { when, thenRefuse } = next;
      next = null;
      broken++;
      const end = () => {
        client.destroy();
        refusal = thenRefuse;
        if (!thenRefuse) return;
        for (const socket of sockets) if (socket !== database) socket.destroy();
      };
      if (when === 'unsent') return end();
      database.removeAllListeners('data');
      if (when === 'answered') database.once('data', end);
      database.resume();
      database.write(chunk, () => when === 'sent' && end());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href;
  return stopLater({
    url,
    refuse,
    breakAt(statement: RegExp, when: Moment, { atCommit = false, thenRefuse = null } = {}) {
      next = { statement, when, atCommit, thenRefuse };
    },
    broken: () => broken,
    heal() {
      refusal = null;
      next = null;
    },
    stop() {
      server.close();
      drop();
    },
  });
}

type Message = { type: string | null; text: string | null };

/** Reads what one client sends: the text of each statement, also of one that was prepared before. */
function readMessages(): (chunk: Buffer) => Message[] {
  const prepared = new Map<string, string>();
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (;;) {
      const before = isStarted ? TYPE : 0;
      if (rest.length < before + LENGTH) return messages;
      const end = before + rest.readInt32BE(before);
      if (rest.length < end) return messages;
      const type = isStarted ? rest.toString('latin1', 0, TYPE) : null;
      const [first = '', second = ''] = rest.toString('utf8', before + LENGTH, end).split('\0');
      if (type === 'P') prepared.set(first, second);
      const text = type === 'Q' ? first : type === 'B' ? (prepared.get(second) ?? null) : null;
      messages.push({ type, text });
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}
