// Reading deliveries: lists of an API's page, and one with its body and every attempt.
import type { Core } from '../core.ts';
import { inSnapshot } from '../database/orm.ts';
import { findRow, findRows, type Db } from '../database/rows.ts';
import { pageOf, viewPage } from '../http/paging.ts';
import { Problem } from '../http/problem.ts';
import { route, type Answer, type Route } from '../http/route.ts';
import { Delivery, DeliveryAttempt, Endpoint } from './entities.ts';
import type { CallbackDeps } from './routes.ts';
import { byDelivery, listQuery, type DeliveryFilter } from './schemas.ts';
import { deliveryDetails, listedDelivery, viewDelivery, viewDetails } from './view.ts';

const about = { tag: 'Callbacks', access: { kind: 'bearer', scope: 'merchant:read' }, bucket: 'read' } as const;

export function deliveryRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [declareList(core), declareRead(core, deps)];
}

/** A page of deliveries, in the document. */
export const deliveryPage = viewPage.schema(listedDelivery);

function declareList(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/callbacks',
    operationId: 'listCallbacks',
    summary: 'List callbacks, newest first',
    description: 'Each callback once, whatever became of it, and tests. Those of webhooks are listed there.',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: deliveryPage } },
    run: ({ caller, query }) =>
      listDeliveries(core, {
        where: `merchant_id = $1 and (kind = 'callback' or kind = 'test' and type like 'callback.%')`,
        values: [caller.merchantId],
        query,
      }),
  });
}

type ListQuery = DeliveryFilter & { page: number; pageSize: number };

/** The page and its count at once, on two connections: the count of many takes longer than anything else. */
export async function listDeliveries(
  core: Core,
  asked: { where: string; values: unknown[]; query: ListQuery },
): Promise<Answer> {
  const { query } = asked;
  const values = [...asked.values];
  const where = [asked.where, ...filterBy(query, values)].join(' and ');
  const { limit, offset } = pageOf(query);
  const reading = inSnapshot(core, async (db) => {
    // As values: each statement's text is kept for good.
    const place = `limit $${values.length + 1} offset $${values.length + 2}`;
    const page = await findRows(db, Delivery, `${where} order by seq desc ${place}`, [...values, limit, offset]);
    return { page, lasts: await findLastAttempts(db, page) };
  });
  const counting = core.pool.query<{ total: string }>(
    `select count(*) as total from deliveries where ${where}`,
    values,
  );
  const [{ page, lasts }, { rows }] = await Promise.all([reading, counting]);
  const data = page.map((delivery) => viewDelivery(delivery, lasts.get(delivery.id) ?? null));
  return { status: 200, body: viewPage(data, query, Number(rows[0]?.total ?? 0)) };
}

const FILTERS: Record<'status' | 'paymentId' | 'from' | 'to', string> = {
  status: 'deliveries.status =',
  paymentId: 'deliveries.payment_id =',
  from: 'deliveries.created_at >=',
  to: 'deliveries.created_at <',
};

/** The filter as conditions on `deliveries`; its values are added to `values`. */
export function filterBy(filter: DeliveryFilter, values: unknown[]): string[] {
  return (['status', 'paymentId', 'from', 'to'] as const).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`${FILTERS[name]} $${values.push(value)}`];
  });
}

/** The newest recorded attempt of each, by the delivery's id. */
async function findLastAttempts(db: Db, deliveries: Delivery[]): Promise<Map<string, DeliveryAttempt>> {
  if (deliveries.length === 0) return new Map();
  const isLast = `delivery_id = any($1) and number = (select max(number) from delivery_attempts a
    where a.delivery_id = delivery_attempts.delivery_id)`;
  const lasts = await findRows(db, DeliveryAttempt, isLast, [deliveries.map(({ id }) => id)]);
  return new Map(lasts.map((attempt) => [attempt.deliveryId, attempt]));
}

function declareRead(core: Core, deps: CallbackDeps): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/callbacks/{deliveryId}',
    operationId: 'readCallback',
    summary: 'Read one callback with every attempt',
    description: 'Also one to a webhook. `body` is what is sent, `url` where it is sent now.',
    params: byDelivery,
    answers: { 200: { description: 'The delivery', schema: deliveryDetails } },
    run: async ({ caller, params }) => ({
      status: 200,
      body: await describeDelivery(core, deps, { merchantId: caller.merchantId, id: params.deliveryId }),
    }),
  });
}

export type Owned = { merchantId: string; id: string };

/** @throws Problem not_found */
export async function describeDelivery(
  core: Core,
  { describeBody }: Pick<CallbackDeps, 'describeBody'>,
  owned: Owned,
): Promise<object> {
  const { delivery, ...about } = await inSnapshot(core, async (db) => {
    const found = await findDelivery(db, owned);
    const endpoint = found.endpointId ? await findRow(db, Endpoint, 'id = $1', [found.endpointId]) : null;
    const attempts = await findRows(db, DeliveryAttempt, 'delivery_id = $1 order by number', [found.id]);
    return { delivery: found, attempts, url: endpoint?.url ?? null };
  });
  return viewDetails(delivery, { ...about, body: await describeBody(delivery) });
}

/** A delivery of the list's shape. */
export async function listOne(db: Db, owned: Owned): Promise<object> {
  const delivery = await findDelivery(db, owned);
  return viewDelivery(delivery, (await findLastAttempts(db, [delivery])).get(delivery.id) ?? null);
}

/** @throws Problem not_found for what does not exist and for what is another merchant's alike */
export async function findDelivery(db: Db, { merchantId, id }: Owned, lock: '' | 'for update' = ''): Promise<Delivery> {
  const found = await findRow(db, Delivery, `id = $1 and merchant_id = $2 ${lock}`, [id, merchantId]);
  if (!found) throw new Problem('not_found');
  return found;
}
