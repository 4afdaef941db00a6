// Merchants whose month is over: their invoices are issued, of several months where the gateway was away that long.
import type { Core } from '../core.ts';
import type { Claim, DueWork } from '../due/work.ts';
import { issueNext } from './issue.ts';

/** Longer than an invoice of millions of payments takes. */
const LEASE_MS = 120_000;

/** Invoices wait for one another, each with a connection of the node's: payments need theirs at midnight too. */
const AT_ONCE = 2;

/** The due work of billing accounts. */
export function billingDueWork(core: Core): DueWork {
  const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  let count = 0;
  const run = (claim: Claim) => {
    const lane = count++ % AT_ONCE;
    const issued = (lanes[lane] as Promise<void>).then(() => issueAll(core, claim));
    lanes[lane] = issued.catch(() => {});
    return issued;
  };
  return { table: 'billing_accounts', leaseMs: LEASE_MS, run };
}

async function issueAll(core: Core, { id }: Claim): Promise<void> {
  while (!core.stopping.aborted && (await issueNext(core, id)));
}
