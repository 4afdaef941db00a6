// The one table of a reference's transitions, and the one function that moves a reference through it.
import type { EntityData } from '@mikro-orm/postgresql';
import type { ReferenceStatus } from '../../shared/reference.ts';
import { changeRows, type Db } from '../database/rows.ts';
import { announce, type Made } from '../events/outbox.ts';
import { eventRow } from '../events/record.ts';
import { Problem } from '../http/problem.ts';
import { Reference } from './entities.ts';

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
  // Money that came after the end does not move the end.
  const isFirstEnd = !reference.closedAt;
  const set = { status: to, ...(isFirstEnd && { closedAt: at, dueAt }) } as EntityData<Reference>;
  const about = { merchantId: reference.merchantId, paymentId: reference.paymentId, status: to };
  const told = eventRow({ ...about, type: `reference.${to.toLowerCase()}`, occurredAt: at, details });
  const isSource = { text: 'id = $1 and status = any($2)', values: [reference.id, from] };
  const written = { rows: [told.row], tell: told.tell };
  const [moved] = await changeRows<Reference, Made>(db, Reference, { set }, isSource, written);
  if (!moved) throw new Problem('state_conflict');
  announce(db, { merchantId: reference.merchantId, ...moved });
}
