// Authorizations: money that is held, taken in whole or part, given back, or left until its time is over.
import { answerPush, loseNextWord, PHONES } from './payers.ts';
import { webframe } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';

const hold = (reference: string) =>
  webframe(reference, { metadata: { paymentMethod: 'authorization', phoneNumber: PHONES.hold } });
const capture = (reference: string, authorizationId: unknown, amount = 1500) =>
  webframe(reference, { amount, metadata: { paymentMethod: 'capture', authorizationId } });

export async function walkHolds(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { json: held } = await call('a hold', `POST ${PAYMENTS}`, { body: hold('HOLD-1') });
  await call('a capture too early', `POST ${PAYMENTS}`, { body: capture('TAKE-0', held.id) });
  await answerPush(tour, held.id, 'approve');
  await call('a hold that was approved', `GET ${PAYMENTS}/${held.id}`);
  await call('a capture of too much', `POST ${PAYMENTS}`, { body: capture('TAKE-0', held.id, 1500.01) });
  await call('a capture of nothing', `POST ${PAYMENTS}`, { body: capture('TAKE-0', 'nothing') });
  await call('a capture of another’s', `POST ${PAYMENTS}`, {
    body: capture('TAKE-0', held.id),
    token: await tour.strangerToken(),
  });
  await call('a capture without a hold', `POST ${PAYMENTS}`, { body: capture('TAKE-0', null) });
  const headers = { 'idempotency-key': 'capture-1' };
  const body = capture('TAKE-1', held.id, 1000);
  await loseNextWord(tour);
  const { json: taken } = await call('a capture of a part', `POST ${PAYMENTS}`, { body, headers });
  await call('a capture by the same key', `POST ${PAYMENTS}`, { body, headers });
  await call('a capture again', `POST ${PAYMENTS}`, { body: capture('TAKE-2', held.id) });
  await call('the capture', `GET ${PAYMENTS}/${taken.id}`);
  await call('the captured hold', `GET ${PAYMENTS}/${held.id}`);
  await call('the captured hold’s history', `GET ${PAYMENTS}/${held.id}/events`);
  await call('the captured hold is canceled', `POST ${PAYMENTS}/${held.id}/cancel`);

  const { json: free } = await call('a hold to be given back', `POST ${PAYMENTS}`, { body: hold('HOLD-2') });
  await answerPush(tour, free.id, 'approve');
  await loseNextWord(tour);
  await call('a hold is given back', `POST ${PAYMENTS}/${free.id}/cancel`, {
    headers: { prefer: 'return=representation' },
  });
  await call('a hold that was given back', `GET ${PAYMENTS}/${free.id}`);

  const { json: refused } = await call('a hold to be refused', `POST ${PAYMENTS}`, { body: hold('HOLD-3') });
  await answerPush(tour, refused.id, 'decline');
  await call('a hold that was refused', `GET ${PAYMENTS}/${refused.id}`);

  const { json: left } = await call('a hold to be left', `POST ${PAYMENTS}`, { body: hold('HOLD-4') });
  await answerPush(tour, left.id, 'approve');
  made['hold'] = left;
}
