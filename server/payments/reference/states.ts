// The transitions of references, the function that changes a reference's status, and its queries by id.
import type { Selectable, Updateable } from 'kysely';
import type { ReferenceStatus } from '../../../shared/reference.ts';
import type { Core } from '../../core.ts';
import { prepared, type Db, type Tables } from '../../database/db.ts';
import { defineStates, type Transition } from '../../events/states.ts';
import { Problem } from '../../http/problem.ts';
import { pprLeaseMs } from '../../jobs/schedule.ts';
import { describeCanceler, type Canceler } from '../core/creator.ts';
import { changePayment } from '../core/rows.ts';
import { transition } from '../core/states.ts';
import type { PaymentWithReference, Reference } from '../core/entities.ts';

/** The status that each event leads to, by the reference's status. payments/core/states.ts has those of its payment. */
export const REFERENCE_TRANSITIONS = {
  pay: {
    from: ['Pending', 'Canceled', 'Expired'],
    to: 'Paid',
    about: 'a Dynamic reference was paid in full, late money too',
  },
  cancel: { from: ['Pending'], to: 'Canceled', about: 'the merchant withdrew it' },
  expire: { from: ['Pending'], to: 'Expired', about: 'its time is over' },
} as const satisfies Record<string, Transition<ReferenceStatus>>;

type ReferenceEvent = keyof typeof REFERENCE_TRANSITIONS;

export const FIRST_REFERENCE_STATUS = 'Pending' satisfies ReferenceStatus;

/**
 * Changes the status of a reference and writes its event, in the transaction `db`.
 * At `dueAt`, the due-row job withdraws the reference at the rail.
 * @throws Problem state_conflict if the event does not apply to the reference's status
 */
export async function transitionReference(
  db: Db,
  reference: Pick<Reference, 'id' | 'merchantId' | 'paymentId' | 'closedAt'>,
  event: ReferenceEvent,
  { at, dueAt, details = {} }: { at: Date; dueAt: Date; details?: Record<string, unknown> },
): Promise<void> {
  const { id, merchantId, paymentId, closedAt } = reference;
  const type = `reference.${REFERENCE_TRANSITIONS[event].to.toLowerCase()}`;
  // Late money for a closed reference does not change `closedAt`.
  const set = closedAt ? {} : { closedAt: at, dueAt };
  const eventFields = { merchantId, paymentId, type, occurredAt: at, details };
  if ((await move(db, { id, event, set, eventFields })) !== 'moved') throw new Problem('state_conflict');
}

const move = defineStates('payment_references', REFERENCE_TRANSITIONS);

/** The time of a close, the caller who cancels, and further details of its events. */
type Closing = { at: Date; by?: Partial<Canceler> | undefined; details?: object };

/** Closes a payable reference and its payment. The payment of a Charging reference stays `Paid` if it is paid. */
export async function closeReference(
  core: Core,
  db: Db,
  { payment, reference }: PaymentWithReference,
  event: Extract<ReferenceEvent, 'cancel' | 'expire'>,
  { at, by = {}, details: more = {} }: Closing,
): Promise<void> {
  const details = { ...more, ...describeCanceler(by) };
  if (payment.status === 'Pending') await transition(db, payment, event, { set: { dueAt: null, ...by }, details, at });
  else await changePayment.run(db, { id: payment.id, set: by });
  // The caller withdraws the reference at the rail immediately. If it crashes, the due-row job does so.
  const dueAt = new Date(at.getTime() + pprLeaseMs(core.config));
  await transitionReference(db, reference, event, { at, dueAt, details });
}

/** The columns of a reference that callers may set. */
export type ReferenceChange = Omit<Updateable<Tables['payment_references']>, 'id' | 'status'>;

export const findReference = prepared((tables, { id }: { id: string }) =>
  tables.selectFrom('payment_references').selectAll().where('id', '=', id),
);

export const setReferenceDue = prepared((tables, { id, dueAt }: { id: string; dueAt: Date | null }) =>
  tables.updateTable('payment_references').set({ dueAt }).where('id', '=', id),
);

type AsRead = Pick<Selectable<Tables['payment_references']>, 'id' | 'registeredAt' | 'withdrawnAt' | 'railFault'> & {
  isPending: boolean;
};

/** Changes a reference only if it has not changed since the caller read it. */
export const changeAsRead = prepared(
  (tables, { id, isPending, registeredAt, withdrawnAt, railFault, set }: AsRead & { set: ReferenceChange }) =>
    tables
      .updateTable('payment_references')
      .set(set)
      .where('id', '=', id)
      .where((eb) => eb(eb.parens('status', '=', 'Pending'), '=', isPending))
      .where('registeredAt', 'is not distinct from', registeredAt)
      .where('withdrawnAt', 'is not distinct from', withdrawnAt)
      .where('railFault', 'is not distinct from', railFault),
);
