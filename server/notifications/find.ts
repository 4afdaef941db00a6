// Reads notifications with the payments, transactions, endpoints, people and actors that their texts name.
import { sql, type ExpressionBuilder, type Kysely, type Selectable, type SelectQueryBuilder } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Db, Tables } from '../database/db.ts';
import type { SeqCursor } from '../http/cursor.ts';
import type { PageQuery } from '../http/fields.ts';
import { readPageIn } from '../lists/page.ts';
import { NOTIFICATIONS } from '../database/functions/counted-lists.ts';

export type NotificationPage = {
  seq: number;
  id: string;
  type: string;
  paymentId: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
  readAt: Date | null;
  payment: { reference: string; askedMinor: number; heldMinor: number | null; currency: string } | null;
  money: { amountMinor: number; currency: string } | null;
  /** `url`: the URL of the webhook endpoint that the notification names. */
  url: string | null;
  /** `email`: the e-mail address of the person that the notification names. */
  email: string | null;
  /** `actorName`: the person's name or e-mail address, or the API client's name. Null for the operator. */
  actorName: string | null;
};

export type NotificationFilter = PageQuery & {
  merchantId: string;
  isRead: boolean | null;
  /** `hidden`: types that the reader may not see. */
  hidden: readonly string[];
  after?: SeqCursor | undefined;
};

/** Returns a page of notifications, newest first, and the total. `db` is a snapshot. */
export function findNotifications(db: Db, filter: NotificationFilter) {
  return readPageIn<NotificationPage>(db, {
    list: NOTIFICATIONS,
    merchantId: filter.merchantId,
    query: filter,
    keys: { isRead: filter.isRead === null ? undefined : String(filter.isRead) },
    // The counts do not know the types. A person with hidden types has their rows counted.
    isSelective: filter.hidden.length > 0,
    rows: (tables) => tables.selectFrom('notifications').where(matches(filter)),
    decorate: describeNotices,
    order: ['seq'],
  });
}

const matches =
  ({ merchantId, isRead, hidden }: Pick<NotificationFilter, 'merchantId' | 'isRead' | 'hidden'>) =>
  (eb: ExpressionBuilder<Tables, 'notifications'>) =>
    eb.and([
      eb('merchantId', '=', merchantId),
      ...(isRead === null ? [] : [eb('readAt', isRead ? 'is not' : 'is', null)]),
      ...(hidden.length === 0 ? [] : [eb('type', 'not in', hidden)]),
    ]);

/** Joins the payments, transactions, endpoints, people and actors that the notifications of a page name. */
export const describeNotices = (
  tables: Kysely<Tables>,
  page: SelectQueryBuilder<Tables, 'notifications', Selectable<Tables['notifications']>>,
) =>
  tables
    .selectFrom(page.as('n'))
    .leftJoin('payments as p', 'p.id', 'n.paymentId')
    .leftJoin('transactions as t', (on) => on.on('t.id', '=', idIn('transactionId')))
    .leftJoin('endpoints as d', (on) => on.on('d.id', '=', idIn('endpointId')))
    .leftJoin('users as u', (on) => on.on('u.id', '=', idIn('userId')))
    .leftJoin('users as a', (on) => on.on('a.id', '=', actorId('user')))
    .leftJoin('clients as c', (on) => on.on('c.id', '=', actorId('client')))
    .select(['n.seq', 'n.id', 'n.type', 'n.paymentId', 'n.details', 'n.createdAt', 'n.readAt', 'd.url', 'u.email'])
    .select(
      sql<string | null>`coalesce(nullif(trim(concat_ws(' ', a.first_name, a.last_name)), ''), a.email, c.name)`.as(
        'actorName',
      ),
    )
    .select((eb) => [
      eb
        .case()
        .when('p.id', 'is not', null)
        .then(
          jsonBuildObject({
            reference: eb.ref('p.reference').$notNull(),
            askedMinor: eb.ref('p.amountMinor').$notNull(),
            heldMinor: eb.ref('p.authorizedMinor'),
            currency: eb.ref('p.currency').$notNull(),
          }),
        )
        .end()
        .as('payment'),
      eb
        .case()
        .when('t.id', 'is not', null)
        .then(
          jsonBuildObject({
            amountMinor: eb.ref('t.amountMinor').$notNull(),
            currency: eb.ref('t.currency').$notNull(),
          }),
        )
        .end()
        .as('money'),
    ])
    .orderBy('n.seq', 'desc');

/** SQL: an id in the details of a notification. */
const idIn = (name: string) => sql<string>`(${sql.ref('n.details')} ->> ${sql.lit(name)})::uuid`;

/** SQL: the id of the notification's actor if the actor is of this kind. Only the id of a user is cast to a UUID. */
const actorId = (kind: 'user' | 'client') => {
  const id = sql`${sql.ref('n.details')} #>> '{actor,id}'`;
  const value = kind === 'user' ? sql`(${id})::uuid` : id;
  return sql<string>`case when ${sql.ref('n.details')} #>> '{actor,kind}' = ${sql.lit(kind)} then ${value} end`;
};
