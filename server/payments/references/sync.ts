// Refreshing a reference from its rail on demand: what it was paid, and that the rail knows what became of it.
import type { Core } from '../../core.ts';
import type { Payment } from '../entities.ts';
import { findNewMoney } from '../receive.ts';
import type { PprRail } from '../../providers/provider.ts';
import { findReferenceOf } from '../rows.ts';
import { receiveReferencePayment } from './receive.ts';
import { tellRail } from './register.ts';

/** False when the rail could not be asked. */
export async function syncReference(core: Core, rail: PprRail | null, payment: Payment): Promise<boolean> {
  const reference = await findReferenceOf(core, payment);
  if (!rail || !reference) return false;
  const { result, payments } = await rail.query(reference.id);
  for (const money of await findNewMoney(core, 'ppr', payments))
    await receiveReferencePayment(core, rail, money, 'sync');
  const isTold = reference.status === 'Pending' ? reference.registeredAt : reference.withdrawnAt;
  if (!isTold) await tellRail(core, rail, reference.id);
  return result !== 'unknown';
}
