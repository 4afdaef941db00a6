// A gateway process, and a PPR rail in another process that keeps running.
import { expect } from 'vitest';
import { until } from './app.ts';
import { expectCash, isAtRest, startProxiedRail } from './cashbook.ts';
import type { MerchantClient } from './child.ts';
import { startGatewayFixture } from './gateway.ts';
import { PPR } from './ppr.ts';

/** The rail's timeout is longer than any test, so that no call times out. */
const TIMEOUT_S = 30;
/** After this time the lease of a rail call has ended: the rail's timeout plus 5 s. */
export const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;
/** After this time the gateway has read the rail's payment list again. */
export const AFTER_SWEEP_MS = 70_000;

export type PprGateway = Awaited<ReturnType<typeof startPprGateway>>;

export async function startPprGateway() {
  const fixture = await startGatewayFixture(startProxiedRail, { PPR_TIMEOUT_S: String(TIMEOUT_S) });
  const { rail, clock, merchant, sql } = fixture;
  const read = async (digits: string): Promise<any> => (await merchant.call(`${PPR}/${digits}`)).json;
  return {
    ...fixture,
    async restart(laterMs: number) {
      await fixture.restart(laterMs);
      clock.jump(laterMs);
    },
    /** Creates a reference of 1500.00 and waits for its registration. */
    createPayable: (changes: object = {}) => createPayableAt(merchant, { amount: 1500, ...changes }),
    read,
    readSteps: async (digits: string): Promise<string[]> =>
      (await merchant.call(`${PPR}/${digits}/history`)).json.data.map(({ type }: { type: string }) => type),
    /** Reads the rail's newest reference with these digits. */
    book: async (digits: string) => (await rail.books(digits)).references.at(-1),
    /** Waits until no work is left and compares all records with the rail's books. */
    async expectTruth() {
      await until(() => isAtRest(sql, rail, clock.now()), 'references and money being settled');
      await expectCash(sql, await rail.books());
    },
  };
}

/** Creates a reference at a node that may be down, and waits for its registration. */
export async function createPayableAt(merchant: MerchantClient, body: object): Promise<any> {
  const { status, text, json } = await merchant.insist(PPR, { body });
  expect(status, text).toBe(201);
  const isRegistered = async () => (await merchant.insist(`${PPR}/${json.reference}`)).json.registeredAt;
  await until(isRegistered, 'the registration');
  return json;
}
