// Who takes a whole list, from the gateway or by the database's own COPY; and who asks for one payment in turn meanwhile.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { serveParent } from '../child.ts';
import { openConnections, writeHttp } from '../connection.ts';

export type PageRead = { ms: number };

export type Taken = { ms: number; bytes: number; lines: number };

type ListOptions = { url: string; token: string };
type CopyOptions = { databaseUrl: string; statement: string };
type ReadOptions = { url: string; token: string; id: string; perSecond: number };

let isReading = false;

serveParent({
  async takeList({ url, token }: ListOptions): Promise<Taken> {
    const startedAt = performance.now();
    const asked = get(url, { agent: false, headers: { Authorization: `Bearer ${token}`, Accept: 'text/csv' } });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const count = counter();
    for await (const chunk of answer) count.add(chunk as Buffer);
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
    return { ...count.taken, ms: performance.now() - startedAt };
  },
  /** One answer to its last byte. */
  async readPage({ url, token }: ListOptions): Promise<PageRead> {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    return { ms: performance.now() - startedAt };
  },
  /** The same rows by the bare query. */
  async queryPage({ databaseUrl, statement }: CopyOptions): Promise<PageRead> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const startedAt = performance.now();
    const { rows } = await client.query({ text: statement, rowMode: 'array' });
    const ms = performance.now() - startedAt;
    await client.end();
    if (rows.length === 0) throw new Error('no rows');
    return { ms };
  },
  async copy({ databaseUrl, statement }: CopyOptions): Promise<Taken> {
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const startedAt = performance.now();
    const count = counter();
    await runCopy(client, statement, count.add);
    const ms = performance.now() - startedAt;
    await client.end();
    return { ...count.taken, ms };
  },
  /** One request after another at that pace until `stopReading`; answers how long each took. */
  async readInTurn({ url, token, id, perSecond }: ReadOptions): Promise<number[]> {
    const connections = await openConnections(url, 4);
    const address = new URL(`/api/payments/${id}`, url);
    const request = writeHttp('GET', address, { Authorization: `Bearer ${token}`, Accept: 'application/json' });
    const took: number[] = [];
    const pending: Promise<void>[] = [];
    const startedAt = performance.now();
    isReading = true;
    for (let nth = 0; isReading; nth++) {
      // By the plan and not by the last answer: who waits too long is not asked less often.
      const plannedAt = startedAt + (nth * 1_000) / perSecond;
      await pause(Math.max(0, plannedAt - performance.now()));
      const sentAt = performance.now();
      pending.push(
        connections.send(request).then(({ status }) => {
          if (status !== 200) throw new Error(`answered ${status}`);
          took.push(performance.now() - sentAt);
        }),
      );
    }
    await Promise.all(pending);
    connections.close();
    return took;
  },
  stopReading: () => {
    isReading = false;
  },
});

const NEW_LINE = 10;

function counter(): { taken: { bytes: number; lines: number }; add(chunk: Buffer): void } {
  const taken = { bytes: 0, lines: 0 };
  return {
    taken,
    add(chunk) {
      taken.bytes += chunk.length;
      for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, at + 1)) taken.lines++;
    },
  };
}

/** COPY … TO STDOUT, which pg speaks of and has no method for. */
function runCopy(client: pg.Client, statement: string, add: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const nothing = () => {};
    const query = {
      submit: (connection: { query(text: string): void }) => connection.query(statement),
      handleCopyData: ({ chunk }: { chunk: Buffer }) => add(chunk),
      handleReadyForQuery: () => resolve(),
      handleError: reject,
      handleRowDescription: nothing,
      handleCommandComplete: nothing,
    };
    client.query(query as unknown as pg.Submittable);
  });
}
