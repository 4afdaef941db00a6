// Refunds: through the rail, by hand, refused, withdrawn, and as lists show them.
import { askRail, loseNextWord, MAGIC } from './payers.ts';
import { push } from './payments.ts';
import type { Tour } from './recorder.ts';

const PAYMENTS = '/api/payments';

export async function walkRefunds(tour: Tour): Promise<void> {
  const { call, app } = tour;
  await loseNextWord(tour);
  const { json: paid } = await call('a push to be given back', `POST ${PAYMENTS}`, {
    body: push('BACK-1', MAGIC['who approves']),
  });
  await tour.pass();
  const path = `${PAYMENTS}/${paid.id}/refunds`;
  const body = { amount: 400, reason: 'Uma chávena partida', reference: 'DEV-1' };
  await loseRefundWord(tour);
  const headers = { 'idempotency-key': 'refund-1' };
  const { json: part } = await call('a refund of a part', `POST ${path}`, { body, headers });
  await call('a refund by the same key', `POST ${path}`, { body, headers });
  await call('money that can be given back', `GET ${PAYMENTS}/${paid.id}/refundable`);
  await call('the refund', `GET /api/refunds/${part.id}`);
  await call('a refund that is over is canceled', `POST /api/refunds/${part.id}/cancel`);
  await call('a refund that is over is refreshed', `POST /api/refunds/${part.id}/sync`);
  await call('a refund of too much', `POST ${path}`, { body: { amount: 1100.01 } });
  await call('a refund with many faults', `POST ${path}`, {
    body: { amount: '1', method: 'manual', transactionId: '7' },
  });
  await call('a refund of another’s', `POST ${path}`, { body, token: await tour.strangerToken() });
  const byHand = { method: 'manual', amount: 100, proof: 'TRF 2026/118' };
  await call('a refund by hand', `POST ${path}`, { body: byHand });

  // Of this amount the sandbox's rail records nothing. It is always reached: here as if it had not been.
  const { json: open } = await call('a refund to be withdrawn', `POST ${path}`, { body: { amount: 900.04 } });
  await app.sql(`update attempts set status = 'Unreached', due_at = null where id = $1`, [open.id]);
  await app.sql(`update refunds set status = 'Pending' where id = $1`, [open.id]);
  await call('a refund is withdrawn', `POST /api/refunds/${open.id}/cancel`);
  await call('the refunds of a payment', `GET ${path}`);
  await call('refunds by hand', 'GET /api/refunds?method=manual&reference=none');
  await call('all refunds', 'GET /api/refunds?from=2026-03-31T00:00:00Z');
  await call('the payment that was given back', `GET ${PAYMENTS}/${paid.id}`);
}

/** As of other orders: what its answer says has nothing to race with. */
async function loseRefundWord(tour: Tour): Promise<void> {
  await askRail(tour, '/faults', { on: 'refund_notification', kind: 'drop' });
}
