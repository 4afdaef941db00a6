// The creator of a payment: a person of the merchant in an open shift or without one, or one of its API clients.
import { sql } from 'kysely';
import { prepared, type Db } from '../../database/db.ts';
import type { Caller } from '../../http/route.ts';
import { findOpenShift } from '../../shifts/counting.ts';
import type { Payment } from './entities.ts';

type Creator = Pick<Payment, 'createdByKind' | 'createdById' | 'shiftId'>;

/** The caller of a request, of whom a payment records the person or else the API client. */
export type Actor = Pick<Caller, 'userId' | 'clientId'>;

/** Returns the columns of the caller who charges. Empty for a payer. Only for a person, it reads the open shift. */
export async function creatorOf(db: Db, merchantId: string, caller?: Actor): Promise<Partial<Creator>> {
  if (!caller) return {};
  const { userId, clientId } = caller;
  if (!userId) return { createdByKind: 'client', createdById: clientId };
  const shift = await findOpenShift.first(db, { merchantId, userId });
  return { createdByKind: 'user', createdById: userId, shiftId: shift?.id ?? null };
}

/** The columns of the caller who cancels a payment. */
export type Canceler = Pick<Payment, 'canceledByKind' | 'canceledById'>;

export function cancelerOf({ userId, clientId }: Actor): Canceler {
  return userId
    ? { canceledByKind: 'user', canceledById: userId }
    : { canceledByKind: 'client', canceledById: clientId };
}

/** Returns who canceled a payment, as the API and the details of events show it. */
export function viewCanceler({ canceledByKind, canceledById = null }: Canceler) {
  return {
    canceledBy: canceledByKind === 'user' ? canceledById : null,
    canceledByClient: canceledByKind === 'client' ? canceledById : null,
  };
}

/** Returns the details of an event with the person who canceled. Empty for an API client, and at an expiry. */
export function describeCanceler(by: Partial<Canceler>): { canceledBy?: string } {
  return by.canceledByKind === 'user' && by.canceledById ? { canceledBy: by.canceledById } : {};
}

const fullName = sql<string>`trim(concat_ws(' ', u.first_name, u.last_name))`;

/** Lists the people who charged for the merchant. The query reads one index entry for each person. */
export const listCashiers = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom(
      sql<{ id: string }>`(
        with recursive cashier as (
          (select created_by_id as id from payments
            where merchant_id = ${merchantId} and created_by_kind = 'user' order by created_by_id limit 1)
          union all
          select (select p.created_by_id from payments p where p.merchant_id = ${merchantId}
            and p.created_by_kind = 'user' and p.created_by_id > cashier.id order by p.created_by_id limit 1)
          from cashier where cashier.id is not null)
        select id from cashier where id is not null)`.as('c'),
    )
    .innerJoin('users as u', (join) => join.on(sql<boolean>`u.id = c.id::uuid`))
    .select(['u.id', fullName.as('name')])
    .orderBy('name')
    .orderBy('u.id'),
);

/** Lists the merchant's API clients, revoked ones too. */
export const listChargingClients = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('clients')
    .select(['id', 'name'])
    .where('merchantId', '=', merchantId)
    .orderBy('name')
    .orderBy('id'),
);
