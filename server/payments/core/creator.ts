// The creator of a payment: a person of the merchant, or one of its API clients.
import { sql } from 'kysely';
import { prepared } from '../../database/db.ts';
import type { Caller } from '../../http/route.ts';
import type { Payment } from './entities.ts';

type Creator = Pick<Payment, 'createdByKind' | 'createdById'>;

/** Returns the columns of the caller who charges. Empty for a payer. */
export function creatorOf(caller?: Pick<Caller, 'userId' | 'clientId'>): Partial<Creator> {
  if (!caller) return {};
  return caller.userId
    ? { createdByKind: 'user', createdById: caller.userId }
    : { createdByKind: 'client', createdById: caller.clientId };
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
