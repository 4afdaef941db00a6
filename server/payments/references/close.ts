// The end of a reference that nobody paid, or that goes on no more.
import type { Core } from '../../core.ts';
import type { Db } from '../../database/db.ts';
import { pprLeaseMs } from '../../jobs/schedule.ts';
import { transition } from '../states.ts';
import type { Pair } from './build.ts';
import { transitionReference, type ReferenceEvent } from './states.ts';
import { changePayment } from '../rows.ts';

/** Ends a reference that can be paid, and its payment with it, unless that was paid already (Charging: decisions §3). */
export async function closeReference(
  core: Core,
  db: Db,
  { payment, reference }: Pair,
  event: Extract<ReferenceEvent, 'cancel' | 'expire'>,
  at: Date,
  details: Record<string, unknown> = {},
): Promise<void> {
  if (payment.status === 'Pending') await transition(db, payment, event, { set: { dueAt: null }, details, at });
  else await changePayment.run(db, { id: payment.id, set: {} });
  // Whoever closes it tells the rail at once; the due row is for a crash in between.
  const dueAt = new Date(at.getTime() + pprLeaseMs(core.config));
  await transitionReference(db, reference, event, { at, dueAt, details });
}
