// What the contract suite of every connector stands on: a clock that moves when told, connections, somebody to notify, a button to press.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../server/clock.ts';
import { createConnections, OutgoingError, type Connections } from '../../server/http/client/outgoing.ts';
import type { Connector } from '../../server/providers/connector.ts';
import type { ContractRig } from './legacy.ts';
import type { Fake } from './fake.ts';

/** Where every rig's clock begins. */
export const START = '2026-03-02T09:00:00.000Z';

export type RigClock = Clock & { pass(ms: number): Promise<void> };

/** A clock that only `pass` moves: whoever waits wakes in order, each with a turn before the next. */
export function createRigClock(): RigClock {
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

/** Lets the others work until something is true. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let turns = 0; !isTrue(); turns++) {
    assert.ok(turns < 100_000, 'it never came');
    await turn();
  }
}

type Waited = Pick<ContractRig, 'account' | 'fake' | 'pass'>;

/** Lets a call wait in vain: once it has arrived, as much time passes as it may take. */
export async function outwait<T>({ account, fake, pass }: Waited, call: () => Promise<T>): Promise<T> {
  assert(fake);
  const before = fake.requests.length;
  const answer = call();
  await until(() => fake.requests.length > before);
  // What it does there is done by then.
  await turn();
  await pass(account.timeoutMs);
  return answer;
}

/** They reach anybody, and none is kept beyond its request. */
export function openConnections(): Connections {
  return createConnections({ isFresh: true });
}

/** Connections that reach nobody, and whom they were to reach. @param onlyTls whoever is not asked over TLS is reached */
export function watchConnections(error: Error = new OutgoingError('blocked'), onlyTls = false) {
  const [hosts, ports]: [string[], number[]] = [[], []];
  const connections = createConnections({
    isFresh: true,
    refuse({ isTls, host, port }) {
      if (onlyTls && !isTls) return null;
      hosts.push(host);
      ports.push(port);
      return error;
    },
  });
  return { connections, hosts, ports };
}

export type Arrival = { headers: IncomingHttpHeaders; body: Buffer };

/** Somebody whom the rail notifies while `work` is done, and what arrived there. */
export async function receive(
  work: (url: string, arrivals: Arrival[]) => Promise<void>,
  { status, body }: NonNullable<Connector['reply']> = { status: 200, body: '' },
): Promise<Arrival[]> {
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

/** As if somebody pressed a button of the fake's page. */
export async function press({ url }: Fake, id: string, action: string): Promise<void> {
  const body = new URLSearchParams({ id, action });
  const answer = await fetch(`${url}/_act`, { method: 'POST', body, redirect: 'manual' });
  await answer.body?.cancel();
  assert.equal(answer.status, 303);
}
