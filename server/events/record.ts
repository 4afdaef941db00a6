// Writing events: always in the transaction of the change they tell of, after its row lock is won.
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { Event } from './entities.ts';

export type NewEvent = {
  merchantId: string;
  paymentId: string;
  type: string;
  status: string | null;
  occurredAt: Date;
  details?: Record<string, unknown>;
};

/** Appends one event; `em` must be the transaction of the change. */
export async function recordEvent(em: EntityManager, { details = {}, ...event }: NewEvent): Promise<void> {
  await em.insert(Event, { id: uuid(), ...event, details });
}
