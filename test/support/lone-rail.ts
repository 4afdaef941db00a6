// A simulated rail on its own port and database.
import type { SimulatorOptions } from '../../sandbox/simulator/simulator.ts';
import { startSimulator } from '../../sandbox/simulator/start.ts';
import { freshDatabase } from './database.ts';

export type RailReply = { status: number; body: any };

export type LoneRail = {
  url: string;
  databaseUrl: string;
  call(path: string, body?: object, method?: string): Promise<RailReply>;
  /** Orders a fault (docs/rail.md, "The simulator"). */
  orderFault(fault: Record<string, unknown>): Promise<void>;
  /** Stops it and starts another on the same database. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts it. @param options the clock, and the key and the notifications of its rail */
export async function startLoneRail(options: Omit<SimulatorOptions, 'databaseUrl' | 'log'>): Promise<LoneRail> {
  const database = await freshDatabase();
  const start = (port: number) =>
    startSimulator({ ...options, host: '127.0.0.1', port, databaseUrl: database.url, log: () => {} });
  let simulator = await start(0);
  const { url } = simulator;
  return {
    url,
    databaseUrl: database.url,
    call: (path, body, method) => callRail(url, path, body, method),
    async orderFault(fault) {
      const { status, body } = await callRail(url, '/faults', fault);
      if (status !== 201) throw new Error(`no fault: ${status} ${JSON.stringify(body)}`);
    },
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
