// The one table of a reference's transitions, and the one function that moves a reference through it.
import type { Updateable } from 'kysely';
import type { ReferenceStatus } from '../../shared/reference.ts';
import { isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { announceEvents, EVENT_COLUMNS, eventRow, eventValues, isAwaited, type EventRow } from '../events/record.ts';
import { stateOf } from '../events/state.ts';
import { Problem } from '../http/problem.ts';
import type { Reference } from './entities.ts';

type Transition = { from: readonly ReferenceStatus[]; to: ReferenceStatus; about: string };

/** Reference status × event → status (decisions §4). What became of its payment is payments/states.ts's. */
export const REFERENCE_TRANSITIONS = {
  pay: {
    from: ['Pending', 'Canceled', 'Expired'],
    to: 'Paid',
    about: 'a Dynamic reference was paid in full, late money too',
  },
  cancel: { from: ['Pending'], to: 'Canceled', about: 'the merchant withdrew it' },
  expire: { from: ['Pending'], to: 'Expired', about: 'its time is over' },
} as const satisfies Record<string, Transition>;

export type ReferenceEvent = keyof typeof REFERENCE_TRANSITIONS;

/** What a reference is created with: payable. */
export const FIRST_REFERENCE_STATUS = 'Pending' satisfies ReferenceStatus;

/**
 * Moves a reference, writes its event, and has the rail told of its end at `dueAt`, in the transaction `db`.
 * @throws Problem state_conflict when the event does not apply to the reference's status
 */
export async function transitionReference(
  db: Db,
  reference: Pick<Reference, 'id' | 'merchantId' | 'paymentId' | 'closedAt'>,
  event: ReferenceEvent,
  { at, dueAt, details = {} }: { at: Date; dueAt: Date; details?: Record<string, unknown> },
): Promise<void> {
  const { from, to }: Transition = REFERENCE_TRANSITIONS[event];
  const { id, merchantId, paymentId, closedAt } = reference;
  // Money that came after the end does not move the end.
  const set = { status: to, ...(!closedAt && { closedAt: at, dueAt }) };
  const type = `reference.${to.toLowerCase()}`;
  const row = eventRow({ merchantId, paymentId, type, status: to, occurredAt: at, details });
  const moved = await move.first(db, { id, from, set, row });
  if (!moved) throw new Problem('state_conflict');
  announceEvents(db, { merchantId, ...moved });
}

type Move = {
  id: string;
  from: readonly ReferenceStatus[];
  set: Updateable<Tables['payment_references']>;
  row: EventRow;
};

const move = prepared((tables, { id, from, set, row }: Move) =>
  tables
    .with('moved', (on) =>
      on
        .updateTable('payment_references')
        .set(set)
        .where('id', '=', id)
        .where('status', ...isAny(from))
        .returning(['id', 'paymentId']),
    )
    .with('event', (on) =>
      on
        .insertInto('events')
        .columns(EVENT_COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom('moved')
            .innerJoin('payments', 'payments.id', 'moved.paymentId')
            .select([...eventValues(row), stateOf('payments').as('state')]),
        ),
    )
    .selectFrom('moved')
    .select(isAwaited(row)),
);
