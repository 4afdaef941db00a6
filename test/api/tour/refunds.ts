// Refunds by the rail and manual refunds: the tour creates, refuses, cancels and lists them.
import { askRail, dropNextNotification, APPROVES } from './payers.ts';
import { push } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';

export async function walkRefunds(tour: Tour): Promise<void> {
  const { call, app } = tour;
  await dropNextNotification(tour);
  const { json: paid } = await call(`POST ${PAYMENTS}`, 201, { body: push('BACK-1', APPROVES) });
  await tour.pass();
  const path = `${PAYMENTS}/${paid.id}/refunds`;
  const body = { amount: 400, reason: 'Uma chávena partida', reference: 'DEV-1' };
  await dropRefundNotification(tour);
  const { json: part } = await call(`POST ${path}`, 201, { body });
  await call(`GET ${PAYMENTS}/${paid.id}/refundable`, 200);
  await call(`GET /api/refunds/${part.id}`, 200);
  await call(`POST /api/refunds/${part.id}/cancel`, 409);
  await call(`POST /api/refunds/${part.id}/sync`, 200);
  await call(`POST ${path}`, 400, { body: { amount: 1100.01 } });
  await call(`POST ${path}`, 400, { body: { amount: '1', method: 'manual', transactionId: '7' } });
  await call(`POST ${path}`, 404, { body, token: await tour.strangerToken() });
  const byHand = { method: 'manual', amount: 100, proof: 'TRF 2026/118' };
  await call(`POST ${path}`, 201, { body: byHand });

  // The simulator stores no refund of this amount, and the update marks the attempt as one that never reached the rail.
  const { json: open } = await call(`POST ${path}`, 201, { body: { amount: 900.04 } });
  await app.sql(`update attempts set status = 'Unreached', due_at = null where id = $1`, [open.id]);
  await app.sql(`update refunds set status = 'Pending' where id = $1`, [open.id]);
  await call(`POST /api/refunds/${open.id}/cancel`, 200);
  await call(`GET ${path}`, 200);
  await sendReceipts(tour, paid.id);
  await call('GET /api/refunds?from=2026-03-31T00:00:00Z', 200);
}

async function sendReceipts({ call }: Tour, paidId: string): Promise<void> {
  const receipt = `POST ${PAYMENTS}/${paidId}/receipt`;
  await call(receipt, 202, { body: { channel: 'sms', to: '923000555' } });
  await call(receipt, 202, { body: { channel: 'mail', to: 'cliente@correio.example' } });
  await call(receipt, 400, { body: { channel: 'mail', to: '923456789' } });
  await call(receipt, 202, { body: { channel: 'mail', to: 'cliente@correio.example' } });
  await call(receipt, 429, { body: { channel: 'mail', to: 'cliente@correio.example' } });
}

/** With the notification dropped, only the response of the rail reports the outcome. */
async function dropRefundNotification(tour: Tour): Promise<void> {
  await askRail(tour, '/faults', { on: 'refund_notification', kind: 'drop' });
}
