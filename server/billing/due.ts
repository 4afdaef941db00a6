// Merchants whose month is over: their invoices are issued, of several months where the gateway was away that long.
import type { Core } from '../core.ts';
import type { Claim, DueWork } from '../due/work.ts';
import { issueNext } from './issue.ts';

/** Longer than an invoice of millions of payments takes. */
const LEASE_MS = 120_000;

/** The due work of billing accounts. */
export function billingDueWork(core: Core): DueWork {
  return { table: 'billing_accounts', leaseMs: LEASE_MS, run: (claim) => issueAll(core, claim) };
}

async function issueAll(core: Core, { id }: Claim): Promise<void> {
  while (!core.stopping.aborted && (await issueNext(core, id)));
}
