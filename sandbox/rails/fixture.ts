// The fixture of every contract case: a controlled clock, a fake with an account, and the connector's clients.
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../server/clock.ts';
import { createConnections, OutgoingError, type Connections } from '../../server/http/client/outgoing.ts';
import type { Connector, OpenAccount, Probe, RailClients, NotificationItem } from '../../server/providers/connector.ts';
import { startFake, type Fake, type FakeRequest } from './fake.ts';

export const START = '2026-03-02T09:00:00.000Z';

export const CLOSED_PORT = 'http://127.0.0.1:1';

/** A clock that only `advance` moves. Waits end in the order of their times. */
export type FixtureClock = Clock & { advance(ms: number): Promise<void> };

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

export type FixtureParts<Book> = {
  connector: Connector;
  account: OpenAccount;
  /** `server`: the started fake. Null at the provider's own sandbox. */
  server: Fake<Book> | null;
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
  get fake(): Fake<Book> {
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
  async receive(work: (url: string, arrivals: FakeRequest[]) => Promise<unknown>): Promise<FakeRequest[]> {
    const { reply = { status: 200, body: '' } } = this.connector;
    const gateway = await startFake({
      title: 'Gateway',
      book: null,
      account: () => ({ settings: {}, secrets: {} }),
      intercept: () => reply,
      routes: {},
      rows: () => [],
      act: () => {},
    });
    try {
      await work(`${gateway.url}/notifications`, gateway.requests);
    } finally {
      await gateway.stop();
    }
    return gateway.requests;
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
