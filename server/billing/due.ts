// Merchants whose month is over: their invoices are issued, of several months where the gateway was away that long.
import type { Core } from '../core.ts';
import { dueQueue, type Claim, type DueQueue } from '../jobs/due.ts';
import { issueNext } from './issue.ts';

/** Longer than an invoice of millions of payments takes. */
const LEASE_MS = 120_000;

/** Invoices wait for one another, each with a connection of the node's: payments need theirs at midnight too. */
const AT_ONCE = 2;

/** The billing accounts that come due. */
export function billingQueue(core: Core): DueQueue {
  const run = (claim: Claim) => issueAll(core, claim);
  return dueQueue(core, { table: 'billing_accounts', leaseMs: LEASE_MS, atOnce: AT_ONCE, run });
}

async function issueAll(core: Core, { id }: Claim): Promise<void> {
  while (!core.stopping.aborted && (await issueNext(core, id)));
}
