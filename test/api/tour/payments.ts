// Payments by push: the tour creates, waits for, refuses, pays late, syncs, cancels and lists them.
import { until } from '../../support/app.ts';
import { approved, sendNotification } from '../../support/notify.ts';
import { answerPush, askRail, findPush, notifyOfPush, PHONES } from './payers.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';
const UNKNOWN = '00000000-0000-4000-8000-000000000099';

/** The request body of a payment of 1500 Kz. */
export const webframe = (reference: string, more: object = {}) => ({
  amount: 1500,
  currency: 'AOA',
  paymentType: 'GPO',
  reference,
  ...more,
});

/** The request body of a payment of 1500 Kz by a push to a phone. */
export const push = (reference: string, phoneNumber: string, more: object = {}) =>
  webframe(reference, { metadata: { paymentMethod: 'onetimepurchase', phoneNumber, ...more } });

export async function walkPayments(tour: Tour): Promise<void> {
  await create(tour);
  await pushTo(tour);
  await wait(tour);
  await readThem(tour);
  await cancelThem(tour);
  await useUniqueReferences(tour);
}

async function create({ call, made }: Tour): Promise<void> {
  const wrong = { amount: -1, currency: 'ZZZ', paymentType: 'GPO', reference: 'ç', metadata: { expiresInMinutes: 1 } };
  await call(`POST ${PAYMENTS}`, 400, { body: wrong });
  const body = webframe('TOUR-1', {
    amount: 1500.5,
    description: 'Café de Amboim',
    metadata: {
      returnUrl: 'https://loja.example/obrigado',
      cancelUrl: 'https://loja.example/carrinho',
      custom: { order: 7, tags: ['a', 'b'] },
    },
  });
  const key = 'payment-1';
  const { json } = await call(`POST ${PAYMENTS}`, 201, { body, key });
  made['webframe'] = json;
  await call(`POST ${PAYMENTS}`, 201, { body, key });
  await call(`POST ${PAYMENTS}`, 422, { body: webframe('TOUR-X'), key });
  await call(`POST ${PAYMENTS}`, 400, { body, key: 'two words' });
  await call(`POST ${PAYMENTS}`, 400, {
    body: webframe('TOUR-X', { metadata: { returnUrl: 'https://evil.example/' } }),
  });
  await call(`POST ${PAYMENTS}`, 400, {
    body: webframe('TOUR-X', { metadata: { gpo_pos_id: 'other-pos', gpo_merchant_id: 'other-merchant' } }),
  });
}

async function pushTo(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const paid = await call(`POST ${PAYMENTS}`, 201, { body: push('TOUR-2', PHONES.push) });
  made['paid'] = paid.json;
  await answerPush(tour, paid.json.id, 'approve');
  await call(`GET ${PAYMENTS}/${paid.json.id}`, 200);
  await call(`GET ${PAYMENTS}/${paid.json.id}/events`, 200);
  const refused = await call(`POST ${PAYMENTS}`, 201, { body: push('TOUR-3', PHONES.push) });
  await answerPush(tour, refused.json.id, 'decline', 'LIMIT_EXCEEDED');
  await notifyOfPush(tour, refused.json.id, approved({ transactionId: '900000000000000001' }));
  await notifyFalsely(tour);
}

/** Rail notifications that change no payment: one unsigned, one unreadable, one about an unknown order. */
async function notifyFalsely(tour: Tour): Promise<void> {
  const body = JSON.stringify({ id: UNKNOWN, type: 'purchase' });
  await tour.call('POST /rails/gpo/notifications', 401, { token: null, body });
  for (const text of ['nothing', body]) {
    await sendNotification(tour.app, text);
    await tour.pass();
  }
}

async function wait(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const findId = (reference: string) =>
    until(async () => {
      const [row] = await app.sql('select id from payments where reference = $1', [reference]);
      return row?.id as string | undefined;
    }, `the payment ${reference}`);
  await call(`POST ${PAYMENTS}`, 201, {
    body: push('TOUR-5', PHONES.push),
    prefer: 'wait=60',
    async meanwhile() {
      await askRail(tour, `/pushes/${await findPush(tour, await findId('TOUR-5'))}/approve`);
    },
  });
  await call(`POST ${PAYMENTS}`, 201, {
    body: push('TOUR-6', PHONES.push),
    prefer: 'wait=10',
    async meanwhile() {
      await findPush(tour, await findId('TOUR-6'));
      // The next leap of the clock would interrupt deliveries of this payment.
      const pending = `select from deliveries where status = 'Pending'`;
      await until(async () => (await app.sql(pending)).length === 0, 'the deliveries');
      // A wait that began after the leap would not end.
      await until(() => app.clock.waits().some(({ ms }) => ms === 10_000), 'the wait of the response');
      app.clock.leap(10_000);
    },
  });
}

async function readThem(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { id } = made['webframe'];
  await call(`GET ${PAYMENTS}?pageSize=3`, 200);
  await call(`GET ${PAYMENTS}/sums`, 200);
  await call(`GET ${PAYMENTS}/cashiers`, 200);
  await call(`GET ${PAYMENTS}?status=x&paymentType=x&page=0&pageSize=999&from=x&to=y`, 400);
  await call(`GET ${PAYMENTS}/sums?search=TOUR`, 200);
  await call(`GET ${PAYMENTS}/sums?status=x`, 400);
  await call(`GET ${PAYMENTS}/cashiers`, 200);
  const token = await tour.strangerToken();
  await call(`GET ${PAYMENTS}/${id}`, 404, { token });
  await call(`GET ${PAYMENTS}/${id}/events`, 404, { token });
  await call(`POST ${PAYMENTS}/${id}/cancel`, 404, { token });
  await call(`POST ${PAYMENTS}/${id}/sync`, 404, { token });
  await call(`GET ${PAYMENTS}/${id}/qrcode`, 404);
  await call(`POST ${PAYMENTS}/${id}/sync`, 200);
  await call(`POST ${PAYMENTS}/${made['paid'].id}/sync`, 200, { prefer: 'return=representation' });
}

async function cancelThem({ call, made }: Tour): Promise<void> {
  const { id } = made['webframe'];
  const key = 'cancel-1';
  await call(`POST ${PAYMENTS}/${id}/cancel`, 200, { key });
  await call(`POST ${PAYMENTS}/${id}/cancel`, 200, { key });
  await call(`POST ${PAYMENTS}/${id}/cancel`, 200, { prefer: 'return=representation' });
  await call(`POST ${PAYMENTS}/${made['paid'].id}/cancel`, 422, { key });
  await call(`POST ${PAYMENTS}/${made['paid'].id}/cancel`, 409);
}

/** The merchant turns on unique references. */
async function useUniqueReferences({ call }: Tour): Promise<void> {
  const merchant = '/api/merchants/00000000-0000-7000-8000-00000000de30';
  await call(`PUT ${merchant}`, 200, { body: { uniqueReferences: true } });
  await call(`POST ${PAYMENTS}`, 400, { body: webframe('TOUR-2') });
  await call(`PUT ${merchant}`, 200, { body: { uniqueReferences: false } });
}
