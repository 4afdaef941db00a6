// A gateway process beside a PPR rail that outlives it.
import { expect } from 'vitest';
import { until } from './app.ts';
import { expectCash, isAtRest, startProxiedRail, type ProxiedRail } from './cashbook.ts';
import { startProcess, type Process } from './gateway.ts';
import { PPR } from './ppr.ts';
import type { ReferenceBook } from './references.ts';
import { stopLater } from './stop-later.ts';

/** Longer than any test, so that no call times out by itself. */
const TIMEOUT_S = 30;
/** Past the claim of a call to the rail: its timeout and 5 s. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** Past the next sweep of the rail's payment list. */
export const AFTER_SWEEP_MS = 70_000;

export type PprGateway = Process & {
  rail: ProxiedRail;
  /** Creates a reference of 1500.00 and waits for its registration. */
  createPayable(changes?: object): Promise<any>;
  read(digits: string): Promise<any>;
  readSteps(digits: string): Promise<string[]>;
  /** The rail's newest reference with these digits. */
  book(digits: string): Promise<ReferenceBook | undefined>;
  /** Waits until no work is left and compares all records with the rail's books. */
  expectTruth(): Promise<void>;
  stop(): Promise<void>;
};

export async function startPprGateway(): Promise<PprGateway> {
  const running = await startProcess(startProxiedRail, { PPR_TIMEOUT_S: String(TIMEOUT_S) });
  const { rail, clock, merchant, sql } = running;
  const read = async (digits: string) => (await merchant.call(`${PPR}/${digits}`)).json;
  return stopLater({
    ...running,
    async restart(laterMs) {
      await running.restart(laterMs);
      clock.jump(laterMs);
    },
    async createPayable(changes = {}) {
      const { status, text, json } = await merchant.insist(PPR, { body: { amount: 1500, ...changes } });
      expect(status, text).toBe(201);
      await until(async () => (await read(json.reference)).registeredAt, 'the registration');
      return json;
    },
    read,
    readSteps: async (digits) =>
      (await merchant.call(`${PPR}/${digits}/history`)).json.data.map(({ type }: { type: string }) => type),
    book: async (digits) => (await rail.books(digits)).references.at(-1),
    async expectTruth() {
      await until(() => isAtRest(sql, rail, clock.now()), 'references and money being settled', 30_000);
      await expectCash(sql, await rail.books());
    },
  });
}
