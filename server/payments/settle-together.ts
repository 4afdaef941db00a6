// Settles what came out as it was asked for: orders of the same moment in one statement, each with its payment, money and events.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { createPoolWriter, runStatement } from '../database/db.ts';
import type { RailOutcome } from '../providers/provider.ts';
import type { KnownAttempt } from './entities.ts';
import { isFaultOfRows } from './insert.ts';
import { datesOf, type ReceivedFunds, type Via } from './record-transaction.ts';

/**
 * What was heard of an attempt. `known`: as it was read or written before; null: by a notification, which reads nothing. `rail`: the
 * account that tells of it, and of nothing that another made; null: the one that was asked.
 */
export type Heard = { id: string; known: KnownAttempt | null; rail: string | null; outcome: RailOutcome; via: Via };
export type Approved = Heard & { money: ReceivedFunds };

/** What each statement answers of what it settled. */
export type SettledAttempt = {
  id: string;
  providerRef: string;
  merchantId: string;
  paymentId: string;
  toWebhooks: boolean;
};

type Settling<Row> = {
  /** Its parameter: a JSON array of what `rowOf` and `basicsOf` say of each. It leaves as it is what is not the usual. */
  statement: { name: string; text: string };
  /** Named as the statement's record names its columns. */
  rowOf(approved: Approved, at: Date): object;
  /** Announces what was settled. @returns the payments that it changed */
  announce(core: Core, row: Row): string[];
};

/**
 * The way to settle approvals of one kind of order. False: nothing was written, since it is not the usual (another amount, something
 * else heard since), and the whole way is taken.
 */
export function settleBy<Row extends SettledAttempt>({ statement, rowOf, announce }: Settling<Row>) {
  const writerOf = createPoolWriter<Core, Approved, string[]>(
    async (core, approved) => {
      const at = core.clock.now();
      const asked = approved.map((one) => ({ ...basicsOf(one, at), ...rowOf(one, at) }));
      const rows = await runStatement<Row>(core, statement, [JSON.stringify(asked)]);
      // By the rail's name of it too: two that tell of one attempt may tell of different money, of which one is settled here.
      const settled = new Map(rows.map((row) => [`${row.id} ${row.providerRef}`, row]));
      return approved.map(({ id, money: { providerRef } }) => {
        const row = settled.get(`${id} ${providerRef}`);
        settled.delete(`${id} ${providerRef}`);
        return row ? announce(core, row) : [];
      });
    },
    // While one reaches the disk the other is written.
    { statements: 2, rows: 64 },
  );
  return async (core: Core, heard: Heard): Promise<boolean> => {
    const { result, providerRef, amountMinor, currency, occurredAt, details } = heard.outcome;
    if (result !== 'approved' || providerRef === null || amountMinor === null || currency === null) return false;
    try {
      const changed = await writerOf(core)({
        ...heard,
        money: { providerRef, amountMinor, currency, occurredAt, details },
      });
      for (const id of changed) core.changes.publish(`payment:${id}`);
      return changed.length > 0;
    } catch (error) {
      // A statement fails as a whole, whichever of them was wrong.
      if (isFaultOfRows(error)) return false;
      throw error;
    }
  };
}

function basicsOf({ id, known, rail, outcome, money, via }: Approved, at: Date): object {
  const { providerRef, amountMinor, currency, details } = money;
  const said = {
    provider_ref: providerRef,
    rail_order_id: outcome.railOrderId,
    amount_minor: amountMinor,
    currency,
    details,
  };
  return { id, attempt_status: known?.status, sent_at: known?.sentAt, told_by: rail, ...said, via, at };
}

/** The columns of `basicsOf`, to the statements. */
export const HEARD = `id uuid, attempt_status text, sent_at timestamptz, told_by text, provider_ref text, rail_order_id text,
    amount_minor bigint, currency text, details jsonb, via text, at timestamptz`;

/** The attempt `a` is open, is still as it was known, and was made by the account that tells of it; `given` is what was heard. */
export const AS_KNOWN = `a.status = coalesce(given.attempt_status, a.status) and a.sent_at = coalesce(given.sent_at, a.sent_at)
    and a.rail = coalesce(given.told_by, a.rail) and a.resolved_at is null`;

/** What `moneyOf` says of each. */
export const MONEY = `transaction_id uuid, occurred_at timestamptz, period text, fee_minor bigint, event_id uuid, about jsonb`;

/** Of each that is `ready` the attempt is closed and the money written. */
export const TAKE_MONEY = `attempt as (
  update attempts a set status = 'Approved', provider_ref = ready.provider_ref, failure_code = null,
    rail_order_id = coalesce(ready.rail_order_id, a.rail_order_id), resolved_at = ready.at, due_at = null
  from ready where a.id = ready.id
), money as (
  insert into transactions (id, merchant_id, payment_id, rail, provider_ref, attempt_id, amount_minor, currency, status, late, occurred_at,
    created_at, period, fee_minor, details)
  select transaction_id, merchant_id, payment_id, rail, provider_ref, id, amount_minor, currency, 'Accepted', false, occurred_at,
    at, period, fee_minor, details
  from ready
)`;

/** The money as its row and its event will have it. */
export function moneyOf({ id, money, via }: Pick<Approved, 'id' | 'money' | 'via'>, at: Date) {
  const transactionId = uuid();
  const { occurredAt, period, feeMinor } = datesOf(money, at);
  const about = { attemptId: id, transactionId, via };
  return {
    transaction_id: transactionId,
    occurred_at: occurredAt,
    period,
    fee_minor: feeMinor,
    event_id: uuid(),
    about,
  };
}
