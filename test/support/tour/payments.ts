// Payments by push: created, waited for, refused, late, synced, canceled, listed; and what the rail may say of them.
import { until } from '../app.ts';
import { approved, sendNotification } from '../notify.ts';
import { answerPush, askRail, findPush, loseNextWord, MAGIC, PHONES, tellOfPush } from './payers.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';
const nobody = '00000000-0000-4000-8000-000000000099';

/** A creation of 1500 Kz. */
export const webframe = (reference: string, more: object = {}) => ({
  amount: 1500,
  currency: 'AOA',
  paymentType: 'GPO',
  reference,
  ...more,
});

/** The same by a push to a phone. */
export const push = (reference: string, phoneNumber: string, more: object = {}) =>
  webframe(reference, { metadata: { paymentMethod: 'onetimepurchase', phoneNumber, ...more } });

export async function walkPayments(tour: Tour): Promise<void> {
  await create(tour);
  await pushTo(tour);
  await wait(tour);
  await readThem(tour);
  await cancelThem(tour);
  await useOnce(tour);
}

async function create({ call, made }: Tour): Promise<void> {
  const wrong = { amount: -1, currency: 'ZZZ', paymentType: 'GPO', reference: 'ç', metadata: { expiresInMinutes: 1 } };
  await call('a payment with many faults', `POST ${PAYMENTS}`, { body: wrong });
  const wrongPush = { ...push('TOUR-1', '12'), customMetadata: {}, currency: 'USD', amount: 0.001 };
  await call('a push with many faults', `POST ${PAYMENTS}`, { body: wrongPush });
  const body = webframe('TOUR-1', {
    amount: 1500.5,
    description: 'Café de Amboim',
    metadata: {
      returnUrl: 'https://loja.example/obrigado',
      cancelUrl: 'https://loja.example/carrinho',
      custom: { order: 7, tags: ['a', 'b'] },
    },
  });
  const headers = { 'idempotency-key': 'payment-1' };
  const { json } = await call('a payment by web frame', `POST ${PAYMENTS}`, { body, headers });
  made['webframe'] = json;
  await call('a payment by the same key', `POST ${PAYMENTS}`, { body, headers });
  await call('a payment by the same key, quoted', `POST ${PAYMENTS}`, {
    body,
    headers: { 'idempotency-key': '"payment-1"' },
  });
  await call('a payment’s key with another body', `POST ${PAYMENTS}`, { body: webframe('TOUR-X'), headers });
  await call('a payment by a key that is none', `POST ${PAYMENTS}`, {
    body,
    headers: { 'idempotency-key': 'two words' },
  });
  await call('a payment way back to somebody else', `POST ${PAYMENTS}`, {
    body: webframe('TOUR-X', { metadata: { returnUrl: 'https://evil.example/' } }),
  });
  await call('a payment at another’s terminal', `POST ${PAYMENTS}`, {
    body: webframe('TOUR-X', { metadata: { gpo_pos_id: 'other-pos', gpo_merchant_id: 'other-merchant' } }),
  });
}

async function pushTo(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const paid = await call('a push', `POST ${PAYMENTS}`, { body: push('TOUR-2', PHONES.push) });
  made['paid'] = paid.json;
  await answerPush(tour, paid.json.id, 'approve');
  await call('a push that was approved', `GET ${PAYMENTS}/${paid.json.id}`);
  await call('its history', `GET ${PAYMENTS}/${paid.json.id}/events`);
  const refused = await call('a push to be refused', `POST ${PAYMENTS}`, { body: push('TOUR-3', PHONES.push) });
  await answerPush(tour, refused.json.id, 'decline', 'LIMIT_EXCEEDED');
  await call('a push that was refused', `GET ${PAYMENTS}/${refused.json.id}`);
  await tellOfPush(tour, refused.json.id, approved({ transactionId: '900000000000000001' }));
  await call('a push that was refused, and paid late', `GET ${PAYMENTS}/${refused.json.id}`);
  await call('its history of late money', `GET ${PAYMENTS}/${refused.json.id}/events`);
  for (const [nth, [who, phone]] of Object.entries(MAGIC).entries()) {
    if (who === 'who is not active') await loseNextWord(tour);
    const { json } = await call(`a push to ${who}`, `POST ${PAYMENTS}`, { body: push(`MAGIC-${nth}`, phone) });
    await tour.pass();
    await call(`what became of ${who}`, `GET ${PAYMENTS}/${json.id}`);
  }
  const unheard = await call('a push that nobody answers', `POST ${PAYMENTS}`, { body: push('TOUR-4', PHONES.push) });
  await tour.pass(100_000);
  await call('a push that ran out', `GET ${PAYMENTS}/${unheard.json.id}`);
  await tellFalsely(tour);
}

/** What comes as the rail's word and is not believed. */
async function tellFalsely(tour: Tour): Promise<void> {
  const body = JSON.stringify({ id: nobody, type: 'purchase' });
  await tour.call('the rail’s word, unsigned', 'POST /rails/gpo/notifications', { token: null, body });
  for (const [name, told] of [
    ['garbled', 'nothing'],
    ['of nothing', body],
  ] as const) {
    const { status, text } = await sendNotification(tour.app, told);
    await tour.pass();
    tour.keep(`the rail’s word, ${name}`, { status, text });
  }
}

async function wait(tour: Tour): Promise<void> {
  const { call, app } = tour;
  const findId = (reference: string) =>
    until(async () => {
      const [row] = await app.sql('select id from payments where reference = $1', [reference]);
      return row?.id as string | undefined;
    }, `the payment ${reference}`);
  await call('a push that is waited for', `POST ${PAYMENTS}`, {
    body: push('TOUR-5', PHONES.push),
    headers: { prefer: 'wait=60' },
    async meanwhile() {
      await askRail(tour, `/pushes/${await findPush(tour, await findId('TOUR-5'))}/approve`);
    },
  });
  await call('a push that is waited for in vain', `POST ${PAYMENTS}`, {
    body: push('TOUR-6', PHONES.push),
    headers: { prefer: 'wait=10' },
    async meanwhile() {
      await findPush(tour, await findId('TOUR-6'));
      // What tells of it would be cut off by the leap.
      const waiting = `select from deliveries where status = 'Pending'`;
      await until(async () => (await app.sql(waiting)).length === 0, 'the merchant being told');
      app.clock.leap(10_000);
    },
  });
}

async function readThem(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { id } = made['webframe'];
  await call('the payments', `GET ${PAYMENTS}?pageSize=3`);
  await call('the payments, second page', `GET ${PAYMENTS}?pageSize=3&page=2`);
  await call('the payments that failed', `GET ${PAYMENTS}?status=Failed&paymentType=GPO`);
  await call(
    'the payments of one reference',
    `GET ${PAYMENTS}?reference=TOUR-2&from=2026-03-02T00:00:00Z&to=2026-03-03T00:00:00Z`,
  );
  await call('the payments with faults', `GET ${PAYMENTS}?status=x&paymentType=x&page=0&pageSize=999&from=x&to=y`);
  await call('a payment', `GET ${PAYMENTS}/${id}`);
  await call('a payment in capitals', `GET ${PAYMENTS}/${id.toUpperCase()}`);
  const token = await tour.strangerToken();
  await call('another’s payment', `GET ${PAYMENTS}/${id}`, { token });
  await call('another’s payment’s history', `GET ${PAYMENTS}/${id}/events`, { token });
  await call('another’s payment is canceled', `POST ${PAYMENTS}/${id}/cancel`, { token });
  await call('another’s payment is synced', `POST ${PAYMENTS}/${id}/sync`, { token });
  await call('a payment that is none', `GET ${PAYMENTS}/${nobody}`);
  await call('a payment of an odd id', `GET ${PAYMENTS}/nothing`);
  await call('a payment without a code', `GET ${PAYMENTS}/${id}/qrcode`);
  await call('a payment is synced', `POST ${PAYMENTS}/${id}/sync`);
  await call('a payment is synced, and shown', `POST ${PAYMENTS}/${made['paid'].id}/sync`, {
    headers: { prefer: 'return=representation' },
  });
}

async function cancelThem({ call, made }: Tour): Promise<void> {
  const { id } = made['webframe'];
  const headers = { 'idempotency-key': 'cancel-1' };
  await call('a payment is canceled', `POST ${PAYMENTS}/${id}/cancel`, { headers });
  await call('a payment is canceled by the same key', `POST ${PAYMENTS}/${id}/cancel`, { headers });
  await call('a payment is canceled again', `POST ${PAYMENTS}/${id}/cancel`, {
    headers: { prefer: 'return=representation' },
  });
  await call('a cancellation’s key elsewhere', `POST ${PAYMENTS}/${made['paid'].id}/cancel`, { headers });
  await call('a payment that is paid is canceled', `POST ${PAYMENTS}/${made['paid'].id}/cancel`);
  await call('the canceled payment', `GET ${PAYMENTS}/${id}`);
}

/** References that may be used once. */
async function useOnce({ call }: Tour): Promise<void> {
  const merchant = '/api/merchants/00000000-0000-7000-8000-00000000de30';
  await call('references are unique', `PUT ${merchant}`, { body: { uniqueReferences: true } });
  await call('a reference in use', `POST ${PAYMENTS}`, { body: webframe('TOUR-2') });
  await call('references are not unique', `PUT ${merchant}`, { body: { uniqueReferences: false } });
}
