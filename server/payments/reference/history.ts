// What happened to a payment reference, from its creation on.
import { z } from 'zod';
import { toMajor } from '../../../shared/money.ts';
import { showReference } from '../../../shared/reference.ts';
import type { Core } from '../../core.ts';
import { prepared } from '../../database/db.ts';
import { route, type Route } from '../../http/route.ts';
import type { Payment } from '../core/entities.ts';
import { findMoneyOfPayment } from '../core/rows.ts';
import { findOwnReference } from './find.ts';
import { about, byReference } from './read.ts';

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

/** Every event of a reference and its payment. */
export function declareHistory(core: Core): Route {
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
    findEvents.all(core, { paymentId: id }),
    findMoneyOfPayment.all(core, { paymentId: id }),
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

const findEvents = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables.selectFrom('events').selectAll().where('paymentId', '=', paymentId).orderBy('seq'),
);
