// Payers at the simulated rails: they approve pushes, scan codes and pay references.
import { sendNotification, writeNotification, type Verdict } from '../../support/notify.ts';
import { until } from '../../support/app.ts';
import type { Tour } from './recorder.ts';

/** Pushes to these phones wait until the payer decides. */
export const PHONES = { push: '923000001', page: '923000002', hold: '923000003', scan: '923000009' };
/** The simulator automatically approves pushes to this phone. */
export const APPROVES = '900000000';

/** Calls the simulator. @throws if the simulator refuses the call */
export async function askRail({ app }: Tour, path: string, body: object = {}, method = 'POST'): Promise<any> {
  const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${app.url}/sandbox/rail${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`the rail’s ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Waits until the rail has the newest push of a payment. Returns the push. */
export function findPush({ app }: Tour, paymentId: string): Promise<string> {
  return until(async () => {
    const [newest] = await app.sql(
      'select id, status from attempts where payment_id = $1 order by created_at desc, id desc limit 1',
      [paymentId],
    );
    return newest && newest.status !== 'Unsent' && newest.id;
  }, `the push of ${paymentId}`);
}

/** Drops the rail's next notification, so that only the response to the call reports the outcome. */
export async function dropNextNotification(tour: Tour): Promise<void> {
  await askRail(tour, '/faults', { on: 'notification', kind: 'drop' });
}

/** The payer decides about a push. The function resolves after all effects are complete. */
export async function answerPush(
  tour: Tour,
  paymentId: string,
  verdict: 'approve' | 'decline',
  reason?: string,
): Promise<void> {
  await askRail(tour, `/pushes/${await findPush(tour, paymentId)}/${verdict}`, reason ? { reason } : {});
  await tour.pass();
}

/** Sends a rail notification about a push, which may contradict an earlier one. */
export async function notifyOfPush(tour: Tour, paymentId: string, verdict: Verdict): Promise<void> {
  await sendNotification(tour.app, writeNotification(tour.app, await findPush(tour, paymentId), verdict));
  await tour.pass();
}

/** A payer scans a QR code and pays. */
export async function scanCode(tour: Tour, content: string, phone = PHONES.scan): Promise<void> {
  await askRail(tour, '/scans', { content, phone });
  await tour.pass();
}

type Paying = { amount?: string; channel?: string; fault?: string };

/** A payer pays a reference at a payment machine. @returns the rail's payments */
export async function payReference(
  tour: Tour,
  { entity, reference }: { entity: string; reference: string },
  paying: Paying = {},
): Promise<any[]> {
  const { payments } = await askRail(tour, '/atm/payments', { entity, reference, ...paying });
  await tour.pass();
  return payments;
}
