import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isDatabaseUnavailable } from '../../../server/database/unavailable.ts';
import { inSnapshot } from '../../../server/database/orm.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { authorization, capture } from '../../support/authorizations.ts';
import { testClock } from '../../support/clock.ts';
import { sendSignIn } from '../../support/console.ts';
import { freshDatabase, querySql } from '../../support/database.ts';
import { createLink, sendForm } from '../../support/links.ts';
import { create, purchase, travelToStatus, webframe } from '../../support/payments.ts';
import { PPR, reference } from '../../support/ppr.ts';
import { startRail, type Rail } from '../../support/rail.ts';
import { createPaid } from '../../support/refunds.ts';
import { stopLater } from '../../support/stop-later.ts';

const PHONE = '923000001';
const APPROVING = '900000000';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let proxy: DatabaseProxy;
let rail: Rail;
let app: TestApp;
let lines: any[] = [];
let page: any;
const sql = (text: string, values: unknown[] = []) => querySql(database.url, text, values);

beforeAll(async () => {
  database = await freshDatabase();
  proxy = await startDatabaseProxy(database.url);
  const clock = testClock();
  rail = await startRail({ clock, gatewayUrl: () => app.url });
  const logTo = new PassThrough();
  logTo.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n').map((line) => JSON.parse(line)))); // prettier-ignore
  app = await startTestApp({ clock, env: rail.env, databaseUrl: proxy.url, logTo });
  page = await create(app, webframe());
});
afterEach(() => {
  proxy.heal();
  lines = [];
});
afterAll(async () => {
  await app?.stop();
  await rail?.stop();
  await database?.drop();
});

/** Refuses new connections once the pool is empty. */
async function refuse(at: Refusal): Promise<void> {
  proxy.refuse(at);
  await until(() => app.node.core.pool.idleCount === 0, 'the pool being empty');
}

/** A request that creates a row, the SQL statement that inserts it, and a count of such rows. */
type Case = {
  statement: RegExp;
  isCommitted?: boolean;
  /** The response if the commit is uncertain: 503 for a request that cannot move money, otherwise 500. */
  unknown?: 503;
  status: number;
  send: (key: string) => Promise<Reply>;
  count: () => Promise<number>;
};

const countOf = async (text: string, values: unknown[] = []): Promise<number> =>
  (await sql(`select count(*)::int as n ${text}`, values))[0].n;

const keyed = (path: string, body: object) => (key: string) =>
  app.call(path, { body, headers: { 'idempotency-key': key } });

/** Each case first creates the rows that it needs. */
const CASES: Record<string, () => Promise<Case>> = {
  async push() {
    const body = purchase(PHONE);
    return {
      statement: /insert into payments/,
      status: 201,
      send: keyed('/api/payments', body),
      count: () => countOf('from payments where reference = $1', [body['reference']]),
    };
  },
  async capture() {
    const { id } = await create(app, authorization(APPROVING));
    await travelToStatus(app, id, 'Authorized');
    return {
      statement: /insert into payments/,
      isCommitted: true,
      status: 201,
      send: keyed('/api/payments', capture(id)),
      count: () => countOf('from payments where authorization_id = $1', [id]),
    };
  },
  async refund() {
    const { id } = await createPaid(app);
    return {
      statement: /insert into "refunds"/,
      isCommitted: true,
      status: 201,
      send: keyed(`/api/payments/${id}/refunds`, { amount: 100 }),
      count: () => countOf('from refunds where payment_id = $1', [id]),
    };
  },
  async 'payer’s push'() {
    const { id, clientToken } = await create(app, webframe());
    return {
      statement: /insert into "attempts"/,
      isCommitted: true,
      status: 202,
      send: () => app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null }),
      count: () => countOf('from attempts where payment_id = $1', [id]),
    };
  },
  async cancellation() {
    const { id } = await create(app, webframe());
    return {
      statement: /update "payments"/,
      isCommitted: true,
      status: 200,
      send: (key) => app.call(`/api/payments/${id}/cancel`, { method: 'POST', headers: { 'idempotency-key': key } }),
      count: () => countOf(`from payments where id = $1 and status = 'Canceled'`, [id]),
    };
  },
  async 'payment of a link'() {
    const link = await createLink(app);
    return {
      statement: /insert into payments/,
      isCommitted: true,
      unknown: 503,
      status: 303,
      send: (form) => sendForm(app, link, { form }),
      count: () => countOf('from link_payments where link_id = $1', [link.id]),
    };
  },
};

describe.each<Refusal>(['startup', 'authentication'])('a connection that PostgreSQL closes after %s', (refusal) => {
  test.each(Object.keys(CASES))('makes the request for a %s return 503 and write nothing', async (name) => {
    const { send, count, status } = await CASES[name]!();
    const key = randomUUID();
    await refuse(refusal);
    const reply = await send(key);
    expect(reply.status, reply.text).toBe(503);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    proxy.heal();
    expect(await count()).toBe(0);
    expect((await send(key)).status).toBe(status);
    expect(await count()).toBe(1);
  });

  test.each<[string, () => Promise<Reply>]>([
    ['read', () => app.call('/api/payments')],
    ['reference', () => app.call(PPR, { body: reference() })],
    ['bulk of references', () => app.call(`${PPR}/bulk`, { body: { references: [reference(), reference()] } })],
    ['token', () => app.call('/oauth/token', { method: 'POST', token: null, ...clientForm })],
    ['sign-in at the console', () => sendSignIn(app, { email: 'ana@loja.example', password: 'wrong password' })],
    [
      'checkout page',
      () => app.call(`/checkout/${page.clientToken}`, { token: null, headers: { accept: 'text/html' } }),
    ],
  ])('makes the request for a %s return 503', async (_name, send) => {
    await refuse(refusal);
    const reply = await send();
    expect(reply.status, reply.text).toBe(503);
    expect(reply.headers.get('retry-after')).not.toBeNull();
  });
});

const clientForm = {
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret',
};

const MOMENTS: Moment[] = ['unsent', 'sent', 'answered'];

describe.each(Object.keys(CASES))('a %s whose database connection breaks', (name) => {
  test.each(MOMENTS)('at the moment "%s" is created once, and another connection finds it', async (moment) => {
    const { statement, isCommitted: atCommit = false, status, send, count } = await CASES[name]!();
    proxy.breakAt(statement, moment, { atCommit });
    const broken = proxy.broken();
    const reply = await send(randomUUID());
    expect(proxy.broken()).toBe(broken + 1);
    expect(reply.status, reply.text).toBe(status);
    expect(await count()).toBe(1);
  });

  test.each(MOMENTS)(
    'at the moment "%s" returns 500 and one log line if no connection can check the commit',
    async (moment) => {
      const { statement, isCommitted: atCommit = false, status, unknown = 500, send, count } = await CASES[name]!();
      proxy.breakAt(statement, moment, { atCommit, thenRefuse: 'startup' });
      const key = randomUUID();
      lines = [];
      const reply = await send(key);
      expect(reply.status, reply.text).toBe(unknown);
      const requestId = reply.headers.get('x-request-id');
      const about = lines.filter((line) => line.level === 50 && line.requestId === requestId);
      const failed = { msg: 'request failed', err: { type: 'AnswerLost' } };
      expect(about).toMatchObject(unknown === 500 ? [failed] : []);
      proxy.heal();
      expect((await send(key)).status).toBe(status);
      expect(await count()).toBe(1);
    },
  );
});

test('a read whose database connection breaks returns 503, also inside a snapshot', async () => {
  proxy.breakAt(/from "payments"/, 'sent', { thenRefuse: 'startup' });
  expect((await app.call('/api/payments')).status).toBe(503);
  proxy.heal();
  proxy.breakAt(/select 1/, 'sent', { atCommit: true, thenRefuse: 'startup' });
  const reading = inSnapshot(app.node.core, (db) => db.pool.query('select 1'));
  await expect(reading).rejects.toSatisfy(isDatabaseUnavailable);
});

test('a transaction whose statement breaks before its commit returns 503 and is rolled back', async () => {
  const { id, clientToken } = await create(app, webframe());
  proxy.breakAt(/insert into "attempts"/, 'answered', { thenRefuse: 'startup' });
  const reply = await app.call(`/checkout/${clientToken}/pay`, { body: { phoneNumber: PHONE }, token: null });
  expect(reply.status, reply.text).toBe(503);
  proxy.heal();
  expect((await app.call(`/api/payments/${id}`)).json.status).toBe('Pending');
});

// A TCP proxy in front of PostgreSQL that breaks connections at a chosen message of the protocol.
/** Where each new connection breaks: after the client's start-up packet, or after its password. */
type Refusal = 'startup' | 'authentication';

/**
 * The moment when a statement's connection breaks.
 * `unsent`: PostgreSQL never receives the statement.
 * `sent`: the proxy cuts the client off as soon as PostgreSQL has the statement.
 * `answered`: PostgreSQL has executed the statement, and the client never receives the response.
 */
type Moment = 'unsent' | 'sent' | 'answered';

type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

type Break = { statement: RegExp; when: Moment; atCommit: boolean; thenRefuse: Refusal | null };

/** Bytes before the length of a message: a start-up packet has no type. */
const TYPE = 1;
const LENGTH = 4;

async function startDatabaseProxy(databaseUrl: string) {
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
    /** The URL of the same database through this proxy. */
    url,
    /** Ends all connections, and breaks each new connection at this moment. */
    refuse,
    /** Breaks the next connection at a matching statement, or with `atCommit` at the commit after that statement. */
    breakAt(
      statement: RegExp,
      when: Moment,
      { atCommit = false, thenRefuse = null }: { atCommit?: boolean; thenRefuse?: Refusal | null } = {},
    ) {
      next = { statement, when, atCommit, thenRefuse };
    },
    /** The number of connections that broke at a statement. */
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

/** Parses the bytes of one client and returns the text of each statement, also of a prepared one. */
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
