// Reads deliveries: pages of a list, and one delivery with its body and every attempt.
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db, type Tables } from '../database/db.ts';
import { inSnapshot } from '../database/orm.ts';
import { viewPage } from '../http/fields.ts';
import type { Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { readPageIn } from '../lists/page.ts';
import { DELIVERIES } from '../database/functions/counted-lists.ts';
import { LOCKED, OR_NOT_FOUND } from './endpoints.ts';
import { Delivery, DELIVERY_STATUSES, DeliveryAttempt, Endpoint, NO_WEBHOOK } from './entities.ts';
import type { CallbackDeps } from './schemas.ts';
import { byDelivery, listQuery, type DeliveryFilter } from './schemas.ts';
import { deliveryDetails, listedDelivery, viewDelivery, viewDetails } from './view.ts';

const about = { tag: 'Callbacks', access: { kind: 'bearer', scope: 'merchant:read' }, bucket: 'read' } as const;

export function deliveryRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [declareList(core), declareRead(core, deps)];
}

export const deliveryPage = viewPage.schema(listedDelivery);

function declareList(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/callbacks',
    operationId: 'listCallbacks',
    summary: 'List callbacks, newest first',
    description:
      'Lists each callback once, in any status, and tests. ' +
      '`GET /api/webhooks/{webhookId}/deliveries` lists the deliveries of a webhook.',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: deliveryPage } },
    run: ({ caller, query }) => listDeliveries(core, { merchantId: caller.merchantId, webhookId: NO_WEBHOOK, query }),
  });
}

/** A WHERE condition on the table `deliveries`. */
export type DeliveryCondition = (eb: ExpressionBuilder<Tables, 'deliveries'>) => Expression<SqlBool>;

type ListRequest = {
  merchantId: string;
  webhookId: string;
  query: DeliveryFilter & { page: number; pageSize: number };
};

/** Reads a page of deliveries, of one webhook or of the callbacks. */
export async function listDeliveries(core: Core, { merchantId, webhookId, query }: ListRequest): Promise<Answer> {
  const { page, total, lasts } = await inSnapshot(core, async (db) => {
    const found = await readPageIn<Delivery>(db, {
      list: DELIVERIES,
      merchantId,
      query,
      keys: { status: query.status, webhookId },
      isSelective: query.paymentId !== undefined,
      rows: (tables, span) =>
        tables
          .selectFrom('deliveries')
          .where('merchantId', '=', merchantId)
          .where('webhookId', '=', webhookId)
          .where(filterBy({ ...query, ...span })),
      mergedKeys: { status: DELIVERY_STATUSES },
      alwaysMerged: true,
      // With an order by `seq` only, the planner would scan the whole primary key to find deliveries in a rare status.
      order: ['createdAt', 'seq'],
    });
    return { ...found, lasts: await findLastAttempts(db, found.page.rows) };
  });
  const data = page.rows.map((delivery) => viewDelivery(delivery, lasts.get(delivery.id) ?? null));
  return { status: 200, body: viewPage(data, query, total) };
}

/** Builds the SQL condition of a delivery filter. */
export function filterBy({ status, paymentId, from, to }: DeliveryFilter): DeliveryCondition {
  return (eb) =>
    eb.and([
      ...(status ? [eb('deliveries.status', '=', status)] : []),
      ...(paymentId ? [eb('deliveries.paymentId', '=', paymentId)] : []),
      ...(from ? [eb('deliveries.createdAt', '>=', from)] : []),
      ...(to ? [eb('deliveries.createdAt', '<', to)] : []),
    ]);
}

/** Finds the newest recorded attempt of each delivery. The keys of the map are delivery ids. */
async function findLastAttempts(db: Db, deliveries: Delivery[]): Promise<Map<string, DeliveryAttempt>> {
  if (deliveries.length === 0) return new Map();
  const lasts = await findLasts.all(db, { ids: deliveries.map(({ id }) => id) });
  return new Map(lasts.map((attempt) => [attempt.deliveryId, attempt]));
}

const findLasts = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('delivery_attempts as last')
    .selectAll()
    .where('last.deliveryId', ...isAny(ids))
    .where('last.number', '=', (eb) =>
      eb
        .selectFrom('delivery_attempts as a')
        .select((on) => on.fn.max('a.number').as('number'))
        .whereRef('a.deliveryId', '=', 'last.deliveryId'),
    ),
);

function declareRead(core: Core, deps: CallbackDeps): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/callbacks/{deliveryId}',
    operationId: 'readCallback',
    summary: 'Read one callback with every attempt',
    description:
      'Also reads a delivery to a webhook. `body` is the JSON that is sent, `url` the current address of the endpoint.',
    params: byDelivery,
    answers: { 200: { description: 'The delivery', schema: deliveryDetails } },
    run: async ({ caller, params }) => ({
      status: 200,
      body: await describeDelivery(core, deps, { merchantId: caller.merchantId, id: params.deliveryId }),
    }),
  });
}

export type OwnedDelivery = { merchantId: string; id: string };

/** Returns the view of a delivery with its body and attempts. @throws Problem not_found */
export async function describeDelivery(
  core: Core,
  { describeBody }: Pick<CallbackDeps, 'describeBody'>,
  owned: OwnedDelivery,
): Promise<object> {
  const { delivery, ...about } = await inSnapshot(core, async (db) => {
    const found = await findDelivery(db, owned);
    const endpoint = found.endpointId ? await em(db).findOne(Endpoint, { id: found.endpointId }) : null;
    const oldest = { orderBy: { number: 'asc' } } as const;
    const attempts = await em(db).find(DeliveryAttempt, { deliveryId: found.id }, oldest);
    return { delivery: found, attempts, url: endpoint?.url ?? null };
  });
  return viewDetails(delivery, { ...about, body: await describeBody(delivery) });
}

export async function listOne(db: Db, owned: OwnedDelivery): Promise<object> {
  const delivery = await findDelivery(db, owned);
  return viewDelivery(delivery, (await findLastAttempts(db, [delivery])).get(delivery.id) ?? null);
}

/** Finds a merchant's delivery. @throws Problem not_found, also for another merchant's delivery */
export function findDelivery(db: Db, { merchantId, id }: OwnedDelivery): Promise<Delivery> {
  return em(db).findOneOrFail(Delivery, { merchantId, id }, OR_NOT_FOUND);
}

/** Locks a delivery and returns its current row. @throws Problem not_found */
export function lockDelivery(db: Db, { merchantId, id }: OwnedDelivery): Promise<Delivery> {
  return em(db).findOneOrFail(Delivery, { merchantId, id }, { ...OR_NOT_FOUND, ...LOCKED });
}
