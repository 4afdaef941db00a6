// The simulated PPR rail: its references, its payments at machines, and its books.
import { randomInt, randomUUID } from 'node:crypto';
import type { Clock } from '../../server/clock.ts';
import { createPprRail } from '../../server/providers/ppr/client.ts';
import type { ReferenceOrder } from '../../server/providers/provider.ts';
import { callRail, pprById, startLoneRail, type RailReply } from './lone-rail.ts';
import { DAY_MS } from '../../shared/durations.ts';

export const PPR_KEY = 'a key between tests and PPR';

const TIMEOUT_MS = 20_000;

export type Digits = { entity: string; reference: string };

/** A payment in the rail's JSON. */
export type RailPayment = Digits &
  Record<'transactionId' | 'amount' | 'currency' | 'paidAt' | 'period' | 'number', string> &
  Record<'nib' | 'bank', string | null> & { terminal: { type: string; id: string; location: string } };

type PaymentBook = RailPayment & { referenceId: string; isPublic: boolean; notifications: number; notified: number };

type ReferenceBook = {
  id: string;
  reference: string;
  status: 'ACTIVE' | 'PAID' | 'EXPIRED' | 'WITHDRAWN';
  calls: number;
  payments: PaymentBook[];
};

export type Cashbook = {
  references: ReferenceBook[];
  referencePayments: PaymentBook[];
  referenceTotals: { currency: string; count: number; amount: string }[];
};

/** How a payer pays. The default is the requested amount at a cash machine. */
export type Paying = { amount?: string | null; channel?: string; fault?: string };

/** Pays a reference at the simulator with this address. */
export function payAtRail(url: string, { entity, reference }: Digits, paying: Paying = {}): Promise<RailReply> {
  return callRail(url, '/atm/payments', { entity, reference, ...paying });
}

/** An order that registers a reference with new digits, payable for a day. */
export function referenceOrder(clock: Clock, more: Partial<ReferenceOrder> = {}): ReferenceOrder {
  const digits = { entity: '00999', reference: `0${randomInt(10 ** 8, 10 ** 9)}` };
  const money = { amountMinor: 150_000, currency: 'AOA', description: 'Café' };
  const expiresAt = new Date(clock.now().getTime() + DAY_MS);
  return { referenceId: randomUUID(), ...digits, type: 'Dynamic', ...money, expiresAt, ...more };
}

export type ReferenceRail = Awaited<ReturnType<typeof startReferenceRail>>;

/** Starts a PPR rail on its own database. The rail reads `gatewayUrl` for each notification. */
export async function startReferenceRail(options: { gatewayUrl: () => string; clock: Clock }) {
  const { gatewayUrl, clock } = options;
  const pprNotifyUrl = () => `${gatewayUrl()}/rails/ppr/notifications`;
  const lone = await startLoneRail({ clock, pprKey: PPR_KEY, pprNotifyUrl });
  return {
    ...lone,
    /** A client of the rail with the right key. */
    rail: pprById(createPprRail({ url: lone.url, key: PPR_KEY, timeoutMs: TIMEOUT_MS, clock })),
    pay: (digits: Digits, paying?: Paying) => payAtRail(lone.url, digits, paying),
    books: (reference?: string): Promise<Cashbook> => lone.books(reference),
  };
}
