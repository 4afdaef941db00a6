// The fixture of every contract case: a controlled clock, a fake with an account, and the connector's clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../server/clock.ts';
import { createConnections, OutgoingError, type Connections } from '../../server/http/client/outgoing.ts';
import type { Connector, OpenAccount, Probe, RailClients, NotificationItem } from '../../server/providers/connector.ts';
import type { Fake, FakeRequest } from './fake.ts';

export const START = '2026-03-02T09:00:00.000Z';

export const CLOSED_PORT = 'http://127.0.0.1:1';

export type FixtureClock = Clock & { pass(ms: number): Promise<void> };

/** Creates a clock that only `pass` moves. It resolves waits in time order, one per turn of the event loop. */
export function createFixtureClock(): FixtureClock {
  let time = Date.parse(START);
  const waiting = new Set<{ at: number; wake(): void }>();
  const now = () => new Date(time);
  return {
    now,
    outside: now,
    wait: (delayMs, signal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        const waiter = { at: time + delayMs, wake: () => (waiting.delete(waiter), resolve()) };
        waiting.add(waiter);
        signal?.addEventListener('abort', waiter.wake, { once: true });
      }),
    async pass(ms) {
      const end = time + ms;
      const due = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      for (const { at, wake } of due) {
        time = Math.max(time, at);
        wake();
        await turn();
      }
      time = end;
      await turn();
    },
  };
}

export async function until(isTrue: () => boolean): Promise<void> {
  for (let turns = 0; !isTrue(); turns++) {
    assert.ok(turns < 100_000, 'the condition never became true');
    await turn();
  }
}

/** Creates connections to any host. Each connection closes after its request. */
export function openConnections(): Connections {
  return createConnections({ isFresh: true });
}

/** Creates connections that refuse every host and record its name. @param onlyTls true: plain HTTP is allowed */
export function watchConnections(error: Error = new OutgoingError('blocked'), onlyTls = false) {
  const hosts: string[] = [];
  const connections = createConnections({
    isFresh: true,
    refuse: ({ isTls, host }) => (onlyTls && !isTls ? null : (hosts.push(host), error)),
  });
  return { connections, hosts };
}

export type Arrival = { headers: IncomingHttpHeaders; body: Buffer };

export type FixtureParts<Book> = {
  connector: Connector;
  account: OpenAccount;
  /** `server`: the started fake. Null at the provider's own sandbox. */
  server: (Fake & { book: Book }) | null;
  /** Moves the clock, or waits in real time at the provider's own sandbox. */
  pass(ms: number): Promise<void>;
};

type AccountChange = Partial<Omit<OpenAccount, 'settings' | 'secrets'>> & { settings?: object; secrets?: object };

/** The base class of the providers' fixtures, which add orders and calls. */
export class Fixture<Book = any> {
  readonly connector: Connector;
  readonly account: OpenAccount;
  readonly clients: Required<RailClients>;
  readonly server: FixtureParts<Book>['server'];
  readonly pass: FixtureParts<Book>['pass'];

  constructor({ connector, account, server, pass }: FixtureParts<Book>) {
    this.connector = connector;
    this.account = account;
    this.clients = openClients(connector, account);
    this.server = server;
    this.pass = pass;
  }

  /** Returns the fake. A case that uses it cannot run at the provider's own sandbox. */
  get fake(): Fake & { book: Book } {
    assert.ok(this.server, 'this case needs the fake');
    return this.server;
  }

  get book(): Book {
    return this.fake.book;
  }

  get now(): Date {
    return this.account.clock.now();
  }

  /** Returns the fixture with a changed account. The given settings and secrets replace single fields. */
  with({ settings, secrets, ...change }: AccountChange): this {
    const account = {
      ...this.account,
      ...change,
      settings: { ...this.account.settings, ...settings },
      secrets: { ...this.account.secrets, ...secrets },
    };
    const changed = Object.create(Object.getPrototypeOf(this)) as this;
    return Object.assign(changed, this, { account, clients: openClients(this.connector, account) });
  }

  /** Returns the requests that the fake received at the account's base URL. */
  get requests(): FakeRequest[] {
    const { pathname } = new URL(String(this.account.settings['baseUrl'] ?? this.fake.url));
    const base = pathname.replace(/\/$/, '');
    const own = this.fake.requests.filter(({ path }) => path.startsWith(`${base}/`));
    return own.map((request) => ({ ...request, path: request.path.slice(base.length) }));
  }

  /** Returns the requests at the account's base URL in short form, for example `POST /transactions`. */
  get calls(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path}`);
  }

  get lastBody(): Record<string, any> {
    return JSON.parse(this.requests.findLast(({ body }) => body !== '')?.body ?? 'null') as Record<string, any>;
  }

  probe(): Promise<Probe> {
    return this.connector.probe(this.account);
  }

  /** Returns the validation faults of changed settings or secrets, one per line, for example `posId: must be …`. */
  findFaults(part: 'settings' | 'secrets', change: object): string {
    const { error } = this.connector[part].safeParse({ ...this.account[part], ...change });
    return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
  }

  verify(headers: object, body: string | Buffer = '{}', attemptId: string | null = null) {
    return this.connector.verify({ headers: { ...headers }, body: Buffer.from(body), attemptId }, this.account);
  }

  read(body: string | Buffer, attemptId: string | null = null): NotificationItem[] {
    return this.connector.read(String(body), { kind: this.account.kind, trust: 'hint', attemptId });
  }

  async press(id: string, action: string): Promise<void> {
    const body = new URLSearchParams({ id, action });
    const answer = await fetch(`${this.fake.url}/_act`, { method: 'POST', body, redirect: 'manual' });
    await answer.body?.cancel();
    assert.equal(answer.status, 303);
  }

  /** Makes a call that the fake does not answer, and moves the clock beyond the call's timeout. */
  async outwait<T>(call: () => Promise<T>, ms: number = this.account.timeoutMs): Promise<T> {
    const { silent } = this.fake;
    let isSettled = false;
    const answer = call().finally(() => (isSettled = true));
    await until(() => this.fake.silent > silent);
    await this.pass(ms - 1);
    await turn();
    assert.ok(!isSettled, 'the call ended before its limit');
    await this.pass(1);
    await until(() => isSettled);
    return answer;
  }

  /** Receives the fake's notifications while `work` runs, and answers them like the gateway. */
  async receive(work: (url: string, arrivals: Arrival[]) => Promise<unknown>): Promise<Arrival[]> {
    const { status, body } = this.connector.reply ?? { status: 200, body: '' };
    const arrivals: Arrival[] = [];
    const server = http.createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        arrivals.push({ headers: req.headers, body: Buffer.concat(chunks) });
        res.writeHead(status).end(body);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, arrivals);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    return arrivals;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }
}

/** Opens the clients of all the connector's kinds in one object, for contracts that cover several kinds. */
function openClients(connector: Connector, account: OpenAccount): Required<RailClients> {
  const kinds = connector.kinds.toSorted((one) => (one === account.kind ? 1 : -1));
  return Object.assign({}, ...kinds.map((kind) => connector.open({ ...account, kind })));
}
