// A simulated rail on its own port and database.
import type { SimulatorOptions } from '../../sandbox/simulator/simulator.ts';
import { startSimulator } from '../../sandbox/simulator/start.ts';
import type { SmsRail } from '../../server/providers/message.ts';
import type { GpoRail, OrderKind, PprRail } from '../../server/providers/provider.ts';
import { freshDatabase } from './database.ts';
import { freePort } from './free-port.ts';

export type RailReply = { status: number; body: any };

/** Starts the rail. @param options the clock, and the rail's key and notification URL */
export async function startLoneRail(options: Omit<SimulatorOptions, 'databaseUrl' | 'log'>) {
  const database = await freshDatabase();
  const start = (port: number) =>
    startSimulator({ ...options, host: '127.0.0.1', port, databaseUrl: database.url, log: () => {} });
  let simulator = await start(await freePort());
  const { url } = simulator;
  return {
    url,
    databaseUrl: database.url,
    call: (path: string, body?: object, method?: string) => callRail(url, path, body, method),
    /** Returns the rail's books, all or those with a reference. */
    books: (reference?: string) => readBooksAt(url, reference),
    /** Makes the simulator fail in this way (docs/rail.md, "The simulator"). */
    async orderFault(fault: Record<string, unknown>) {
      const { status, body } = await callRail(url, '/faults', fault);
      if (status !== 201) throw new Error(`no fault: ${status} ${JSON.stringify(body)}`);
    },
    /** Stops the rail and starts another one on the same database. */
    async restart() {
      await simulator.stop();
      simulator = await start(Number(new URL(url).port));
    },
    async stop() {
      await simulator.stop();
      await database.drop();
    },
  };
}

/** An unsigned call to a simulator, as testers make it. */
export async function callRail(url: string, path: string, body?: object, method = 'POST'): Promise<RailReply> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, body ? { method, headers, body: JSON.stringify(body) } : {});
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, body: isJson ? JSON.parse(text) : null };
}

/** An unsigned call to the simulator that runs within an app. */
export const askRail = (app: { url: string }, path: string, body?: object, method?: string): Promise<RailReply> =>
  callRail(`${app.url}/sandbox/rail`, path, body, method);

async function readBooksAt(url: string, reference?: string): Promise<any> {
  const { status, body } = await callRail(
    url,
    `/books${reference ? `?reference=${encodeURIComponent(reference)}` : ''}`,
  );
  if (status !== 200) throw new Error(`no books: ${status}`);
  return body;
}

export const readRailBooks = (app: { url: string }, reference?: string): Promise<any> =>
  readBooksAt(`${app.url}/sandbox/rail`, reference);

const NEVER = { railOrderId: null, sentAt: new Date(0) };

export function gpoById(rail: GpoRail) {
  return {
    ...rail,
    query: (kind: OrderKind, attemptId: string) => rail.query({ kind, attemptId, ...NEVER }),
    queryQrCode: (attemptId: string) => rail.queryQrCode({ attemptId, ...NEVER }),
  };
}

export function pprById(rail: PprRail) {
  const keyOf = (referenceId: string) => ({ referenceId, entity: '', reference: '' });
  return {
    ...rail,
    withdraw: (referenceId: string) => rail.withdraw(keyOf(referenceId)),
    query: (referenceId: string) => rail.query(keyOf(referenceId)),
  };
}

export function smsById(rail: SmsRail) {
  return {
    ...rail,
    query: (messageId: string) => rail.query({ messageId, to: '', text: '', railMessageId: null, sentAt: null }),
  };
}
