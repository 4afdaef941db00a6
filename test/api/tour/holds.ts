// Authorizations: the tour captures, voids and expires them.
import { answerPush, dropNextNotification, PHONES } from './payers.ts';
import { webframe } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';

const hold = (reference: string) =>
  webframe(reference, { metadata: { paymentMethod: 'authorization', phoneNumber: PHONES.hold } });
const capture = (reference: string, authorizationId: unknown, amount = 1500) =>
  webframe(reference, { amount, metadata: { paymentMethod: 'capture', authorizationId } });

export async function walkHolds(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const { json: held } = await call(`POST ${PAYMENTS}`, 201, { body: hold('HOLD-1') });
  await call(`POST ${PAYMENTS}`, 409, { body: capture('TAKE-0', held.id) });
  await answerPush(tour, held.id, 'approve');
  await call(`POST ${PAYMENTS}`, 400, { body: capture('TAKE-0', held.id, 1500.01) });
  await call(`POST ${PAYMENTS}`, 400, { body: capture('TAKE-0', 'nothing') });
  const body = capture('TAKE-1', held.id, 1000);
  await dropNextNotification(tour);
  await call(`POST ${PAYMENTS}`, 201, { body });

  const { json: free } = await call(`POST ${PAYMENTS}`, 201, { body: hold('HOLD-2') });
  await answerPush(tour, free.id, 'approve');
  await dropNextNotification(tour);
  await call(`POST ${PAYMENTS}/${free.id}/cancel`, 200, { prefer: 'return=representation' });

  const { json: left } = await call(`POST ${PAYMENTS}`, 201, { body: hold('HOLD-4') });
  await answerPush(tour, left.id, 'approve');
  made['hold'] = left;
}
