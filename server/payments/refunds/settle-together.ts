// Settles refunds that were given back as they were asked for: those of the same moment in one statement.
import { v7 as uuid } from 'uuid';
import { periodOf } from '../../../shared/clearing.ts';
import type { Core } from '../../core.ts';
import { createPoolWriter, runStatement } from '../../database/db.ts';
import { announceEvents } from '../../events/record.ts';
import type { RailOutcome } from '../../providers/provider.ts';
import type { KnownAttempt } from '../entities.ts';
import { isFaultOfRows } from '../insert.ts';
import type { Via } from '../record-transaction.ts';
import { SETTLE_REFUNDS } from './settle.sql.ts';
import { describeRefund } from './states.ts';

type Heard = { known: KnownAttempt; outcome: RailOutcome; via: Via };
type Given = Heard & { money: { amountMinor: number; currency: string } };

/**
 * The rail gave it back as it was asked for, and nothing else was heard since: settled in one statement with others of the same
 * moment. False: nothing was written, and the whole way is taken.
 */
export async function settleTogether(core: Core, given: Heard): Promise<boolean> {
  const { known, outcome } = given;
  const { result, providerRef, amountMinor, currency } = outcome;
  if (known.kind !== 'refund' || result !== 'approved') return false;
  if (providerRef === null || amountMinor === null || currency === null) return false;
  try {
    const settled = await settlerOf(core)({ ...given, money: { amountMinor, currency } });
    for (const id of settled) core.changes.publish(`payment:${id}`);
    return settled.length > 0;
  } catch (error) {
    // A statement fails as a whole, whichever of them was wrong.
    if (isFaultOfRows(error)) return false;
    throw error;
  }
}

const settlerOf = createPoolWriter<Core, Given, string[]>((core, given) => settleAll(core, given), {
  statements: 1,
  rows: 64,
});

type SettledRow = {
  id: string;
  merchantId: string;
  paymentId: string;
  replacedById: string | null;
  toWebhooks: boolean;
};

/** Of each the payments that it changed: none where it was not settled. */
async function settleAll(core: Core, given: Given[]): Promise<string[][]> {
  const at = core.clock.now();
  const rows = await runStatement<SettledRow>(core, SETTLE_REFUNDS, [
    JSON.stringify(given.map((one) => rowOf(one, at))),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return given.map(({ known }) => {
    const row = byId.get(known.id);
    if (!row) return [];
    const { merchantId, paymentId, replacedById, toWebhooks } = row;
    announceEvents(core, { merchantId, paymentId, toWebhooks, toCallback: false });
    return replacedById ? [paymentId, replacedById] : [paymentId];
  });
}

/** Named as the statement's record names its columns. */
function rowOf({ known: { id, status, sentAt }, outcome, via, money }: Given, at: Date): object {
  return {
    id,
    attempt_status: status,
    sent_at: sentAt,
    provider_ref: outcome.providerRef,
    amount_minor: money.amountMinor,
    currency: money.currency,
    details: outcome.details,
    period: periodOf(outcome.details, at),
    event_id: uuid(),
    about: { ...describeRefund({ id, ...money, method: 'rail' }), via },
    at,
  };
}
