// Inserts new refunds: with others that wait, outside of any transaction, or alone within one that holds their payment.
import { v7 as uuid } from 'uuid';
import { toDecimal } from '../../../shared/money.ts';
import type { Core } from '../../core.ts';
import { repeatLost } from '../../database/away.ts';
import { propertiesOf } from '../../database/columns.ts';
import { createPoolWriter, runStatement, type Db } from '../../database/db.ts';
import type { Actor } from '../../events/audit.ts';
import { announceEvents } from '../../events/record.ts';
import type { Keyed } from '../../http/idempotency.ts';
import type { Transaction } from '../entities.ts';
import { isFaultOfRows, toRow } from '../insert.ts';
import { CREATE_REFUNDS } from './create.sql.ts';
import { RefundSchema, type Refund } from './entities.ts';
import { findRefund } from './rows.ts';
import { describeRefund } from './states.ts';

/** A refund with all that is written of it. */
export type NewRefund = {
  refund: Refund;
  /** As it was read: while it is so, what was decided by it is right. */
  money: Pick<Transaction, 'refundedMinor' | 'refundingMinor'>;
  actor: Actor;
  /** What the rail is to be asked; null by hand. */
  attempt: { railKey: string | null; dueAt: Date } | null;
  /** Kept with it; null where there is none, or somebody else keeps it. */
  key: Keyed | null;
};

/**
 * Whether it was written, in one statement with others that wait. Where anything is in its way it was not; a wrong row among them
 * fails all of them, and each is for a transaction of its own.
 * @throws AnswerLost if nobody can say whether it was written: it may go out to its rail
 */
export function insertTogether(core: Core, refund: NewRefund): Promise<boolean> {
  const { id } = refund.refund;
  const write = () =>
    writerOf(core)(refund).catch((error: unknown) => {
      if (isFaultOfRows(error)) return false;
      throw error;
    });
  // The second run meets the money that the first one has taken.
  return repeatLost(write, async () => (await write()) || (await findRefund.first(core, { id })) !== null);
}

/** While one statement reaches the disk the other is written, and the next rows gather. */
const BATCH = { statements: 2, rows: 64 };

const writerOf = createPoolWriter<Core, NewRefund, boolean>((core, refunds) => insertAll(core, refunds), BATCH);

/** Whether it was written; `db` holds its payment, so that only other money than was read can be in its way. */
export async function insertWithin(db: Db, refund: NewRefund): Promise<boolean> {
  return (await insertAll(db, [refund]))[0] === true;
}

async function insertAll(db: Db, refunds: NewRefund[]): Promise<boolean[]> {
  const written = await runStatement<{ id: string; toWebhooks: boolean }>(db, CREATE_REFUNDS, [
    JSON.stringify(refunds.map(({ refund }) => toRow(REFUND, refund))),
    JSON.stringify(refunds.map(writtenWith)),
  ]);
  const byId = new Map(written.map(({ id, toWebhooks }) => [id, toWebhooks]));
  return refunds.map(({ refund: { id, merchantId, paymentId } }) => {
    const toWebhooks = byId.get(id);
    if (toWebhooks === undefined) return false;
    announceEvents(db, { merchantId, paymentId, toWebhooks, toCallback: false });
    return true;
  });
}

const REFUND = propertiesOf(RefundSchema);

/** Named as the statement's record names its columns. */
function writtenWith({ refund, money, actor, attempt, key }: NewRefund): object {
  const { paymentId, amountMinor, currency, method } = refund;
  const amount = toDecimal(amountMinor, currency);
  return {
    refunded_minor: money.refundedMinor,
    refunding_minor: money.refundingMinor,
    event_id: uuid(),
    about: describeRefund(refund),
    audit_id: uuid(),
    actor_kind: actor.kind,
    actor_id: actor.id,
    address: actor.address,
    // Neither reason, reference nor proof: they may name the payer, and no erasure reaches the audit.
    changes: { paymentId, amount, currency, method },
    is_sent: attempt !== null,
    rail_key: attempt?.railKey,
    due_at: attempt?.dueAt,
    key: key?.key,
    fingerprint: key?.fingerprint,
  };
}
