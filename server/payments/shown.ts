// A payment as its payer is shown it: read, or told by who just committed it, so that nothing stands between that and the page.
import type { ReferenceStatus, ReferenceType } from '../../shared/reference.ts';
import type { Core } from '../core.ts';
import { findRow } from '../database/rows.ts';
import type { News } from '../live/changes.ts';
import { Payment, type Transaction } from './entities.ts';

/** A payment with what else its payer is shown: the push in flight, its reference, the money that came. */
export type ShownPayment = Payment & {
  pushedAt: Date | null;
  ppr: {
    entity: string;
    type: ReferenceType;
    status: ReferenceStatus;
    registeredAt: string | null;
  } | null;
  /** Which payment is to be looked at instead: what took its place, or what was paid before it. */
  insteadId: string | null;
  /** Since when nothing more comes of it; of a replaced one, of what took its place. */
  endedAt: Date | null;
  /** The newest transaction, and how many there are; of a captured authorization, its capture's. */
  money:
    | (Pick<Transaction, 'late' | 'providerRef'> & {
        occurredAt: string;
        transactionNumber: string | null;
        count: number;
      })
    | null;
};

type Also = Pick<ShownPayment, 'pushedAt' | 'money' | 'ppr' | 'insteadId' | 'endedAt'>;

/** One read for all of it. */
export function findShown(core: Core, id: string): Promise<ShownPayment | null> {
  return findRow<Payment, Also>(core, Payment, 'id = $1', [id], ALSO);
}

/** Tells that a payment is now as shown, which its transaction has committed. */
export function publishShown(core: Core, shown: ShownPayment): void {
  core.changes.publish(`payment:${shown.id}`, { revision: shown.revision, row: shown });
}

/** The payment in a piece of news; null where only a read can tell. Rows are told by `publishShown` alone. */
export function shownIn({ row }: News): ShownPayment | null {
  return (row as ShownPayment | undefined) ?? null;
}

const NEWEST = 'where payment_id = payments.id order by created_at desc, id desc limit 1';
const PUSHED_AT = `case when status = 'Processing' then (select a.created_at from attempts a ${NEWEST}) end as "pushedAt"`;
const TOLD_OF_MONEY = `'late', t.late, 'providerRef', t.provider_ref, 'occurredAt', t.occurred_at, 'transactionNumber', t.details ->> 'transactionNumber'`;
const MONEY = `case when amount_paid_minor > 0 then (
  select json_build_object(${TOLD_OF_MONEY}, 'count', (select count(*) from transactions where payment_id = payments.id))
  from transactions t ${NEWEST})
  when status = 'Captured' then (
  select json_build_object(${TOLD_OF_MONEY}, 'count', 1) from transactions t join payments c on c.id = t.payment_id
  where c.authorization_id = payments.id order by t.created_at desc, t.id desc limit 1) end as money`;
const PPR = `case when payment_type = 'PPR' then (
  select json_build_object('entity', f.entity, 'type', f.type, 'status', f.status,
    'registeredAt', f.registered_at) from payment_references f where f.payment_id = payments.id) end as ppr`;
// The refused payment, whose place it took, was paid after all: before the reference was closed, by that, or later.
const INSTEAD = `case when status in ('Canceled', 'Expired') then coalesce(replaced_by_id, case when replaces_id is not null then (
  select p.id from payments p where p.id = payments.replaces_id and p.status = 'Paid') end) end as "insteadId"`;
// A Charging reference goes on after it was paid: its end is when it was closed (decisions §3, `clientToken`).
const CLOSED_AT = 'select f.closed_at from payment_references f where f.payment_id =';
const ENDED_AT = `case when payment_type = 'PPR' then (${CLOSED_AT} payments.id)
  when status = 'Canceled' and replaced_by_id is not null then (${CLOSED_AT} payments.replaced_by_id)
  else completed_at end as "endedAt"`;
const ALSO = [PUSHED_AT, MONEY, PPR, INSTEAD, ENDED_AT];
