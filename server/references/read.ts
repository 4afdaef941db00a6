// Reading references: list, one, and its history (interface.md "PPR references").
import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import { showReference } from '../../shared/reference.ts';
import type { Core } from '../core.ts';
import { inSnapshot } from '../database/orm.ts';
import { findRows, type Db } from '../database/rows.ts';
import { Event } from '../events/entities.ts';
import { pageOf, viewPage } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { Payment, Transaction } from '../payments/entities.ts';
import type { Pair } from './build.ts';
import { Reference } from './entities.ts';
import { findOwnReference } from './find.ts';
import { listQuery } from './schemas.ts';
import { pprReference, viewReference } from './view.ts';

/** The reading endpoints of references. */
export function referenceReads(core: Core): Route[] {
  return [declareList(core), declareRead(core), declareHistory(core)];
}

/** The path of one reference: its digits. */
export const byReference = z.object({ pprReference: z.string().describe('`reference`: its nine digits') });

const about = { tag: 'References', access: { kind: 'bearer', scope: 'references:read' }, bucket: 'read' } as const;

function declareList(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/references/ppr',
    operationId: 'listReferences',
    summary: 'List payment references, newest first',
    query: listQuery,
    answers: { 200: { description: 'A page', schema: viewPage.schema(pprReference) } },
    async run({ caller, query }) {
      const { pairs, total } = await findPage(core, caller.merchantId, query);
      return {
        status: 200,
        body: viewPage(
          pairs.map((pair) => viewReference(core, pair)),
          query,
          total,
        ),
      };
    },
  });
}

type ListQuery = z.output<typeof listQuery>;

/** The page and its count at once, on two connections: the count of many takes longer than anything else. */
async function findPage(core: Core, merchantId: string, query: ListQuery): Promise<{ pairs: Pair[]; total: number }> {
  const values: unknown[] = [merchantId];
  const filters = (['type', 'status'] as const).flatMap((name) => {
    const value = query[name];
    return value ? [`${name} = $${values.push(value)}`] : [];
  });
  const where = ['merchant_id = $1', ...filters].join(' and ');
  const { limit, offset } = pageOf(query);
  const inOrder = `${where} order by created_at desc, id desc limit ${limit} offset ${offset}`;
  const counting = core.pool.query<{ total: string }>({
    text: `select count(*) as total from payment_references where ${where}`,
    values,
  });
  const reading = inSnapshot(core, (db) => findPairs(db, inOrder, values));
  const [pairs, { rows }] = await Promise.all([reading, counting]);
  return { pairs, total: Number(rows[0]?.total ?? 0) };
}

async function findPairs(db: Db, where: string, values: unknown[]): Promise<Pair[]> {
  const references = await findRows(db, Reference, where, values);
  const ids = references.map(({ paymentId }) => paymentId);
  const payments = ids.length > 0 ? await findRows(db, Payment, 'id = any($1)', [ids]) : [];
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  return references.flatMap((reference) => {
    const payment = byId.get(reference.paymentId);
    return payment ? [{ payment, reference }] : [];
  });
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/references/ppr/{pprReference}',
    operationId: 'readReference',
    summary: 'Read one payment reference',
    description: 'The newest one of yours with these digits.',
    params: byReference,
    answers: { 200: { description: 'The reference', schema: pprReference } },
    async run({ caller, params }) {
      const pair = await findOwnReference(core, caller.merchantId, params.pprReference);
      return { status: 200, body: viewReference(core, pair) };
    },
  });
}

const history = z.object({
  message: z.string(),
  reference: z.string(),
  data: z.array(
    z.object({
      id: z.uuid(),
      type: z.string().describe('payment.* and reference.*'),
      status: z.string().nullable(),
      amount: z.number().nullable().describe('Of money received'),
      occurredAt: z.iso.datetime(),
      details: z.looseObject({}),
    }),
  ),
});

function declareHistory(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/references/ppr/{pprReference}/history',
    operationId: 'readReferenceHistory',
    summary: 'History of a payment reference, oldest first',
    description:
      'Every change of status of the reference and its payment, every payment, and what the provider took or refused.',
    params: byReference,
    answers: { 200: { description: 'Its events', schema: history } },
    async run({ caller, params }) {
      const { payment, reference } = await findOwnReference(core, caller.merchantId, params.pprReference);
      const data = await findHistory(core, payment);
      const count = data.length === 1 ? '1 event' : `${data.length} events`;
      const message = `Reference ${showReference(reference.reference)} of entity ${reference.entity}: ${count}.`;
      return { status: 200, body: { message, reference: reference.reference, data } };
    },
  });
}

/** An event of money carries its amount, and what the rail said of it. */
async function findHistory(core: Core, { id }: Payment) {
  const [events, transactions] = await Promise.all([
    findRows(core, Event, 'payment_id = $1 order by seq', [id]),
    findRows(core, Transaction, 'payment_id = $1', [id]),
  ]);
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  return events.map((event) => {
    const money = byId.get(String(event.details['transactionId']));
    return {
      id: event.id,
      type: event.type,
      status: event.status ?? null,
      amount: money ? toMajor(money.amountMinor, money.currency) : null,
      occurredAt: event.occurredAt,
      details: { ...event.details, ...(money && { paidAt: money.occurredAt, ...money.details }) },
    };
  });
}
