// Reads notifications with the payments, transactions, endpoints and people that their texts name.
import { sql, type ExpressionBuilder, type Kysely, type SelectQueryBuilder } from 'kysely';
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
  details: Record<string, unknown>;
  createdAt: Date;
  readAt: Date | null;
  payment: { reference: string; askedMinor: number; heldMinor: number | null; currency: string } | null;
  money: { amountMinor: number; currency: string } | null;
  /** `url`: the URL of the webhook endpoint that the notification names. */
  url: string | null;
  /** `email`: the e-mail address of the person that the notification names. */
  email: string | null;
};

export type NotificationFilter = PageQuery & {
  merchantId: string;
  isRead: boolean | null;
  after?: SeqCursor | undefined;
};

/** Returns a page of notifications, newest first, and the total. `db` is a snapshot. */
export function findNotifications(db: Db, filter: NotificationFilter) {
  return readPageIn<NotificationPage>(db, {
    list: NOTIFICATIONS,
    merchantId: filter.merchantId,
    query: filter,
    keys: { isRead: filter.isRead === null ? undefined : String(filter.isRead) },
    rows: (tables) => tables.selectFrom('notifications').where(matches(filter)),
    decorate: describe,
    order: ['seq'],
  });
}

const matches =
  ({ merchantId, isRead }: NotificationFilter) =>
  (eb: ExpressionBuilder<Tables, 'notifications'>) =>
    eb.and([
      eb('merchantId', '=', merchantId),
      ...(isRead === null ? [] : [eb('readAt', isRead ? 'is not' : 'is', null)]),
    ]);

/** Joins the payments, transactions, endpoints and people that the notifications of a page name. */
const describe = (tables: Kysely<Tables>, page: SelectQueryBuilder<Tables, 'notifications', Tables['notifications']>) =>
  tables
    .selectFrom(page.as('n'))
    .leftJoin('payments as p', 'p.id', 'n.paymentId')
    .leftJoin('transactions as t', (on) => on.on('t.id', '=', idIn('transactionId')))
    .leftJoin('endpoints as d', (on) => on.on('d.id', '=', idIn('endpointId')))
    .leftJoin('users as u', (on) => on.on('u.id', '=', idIn('userId')))
    .select(['n.seq', 'n.id', 'n.type', 'n.details', 'n.createdAt', 'n.readAt', 'd.url', 'u.email'])
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
