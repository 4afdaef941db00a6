// What payers do at the simulated rails, and what the rails say of it: approve a push, scan a code, pay at a machine.
import { sendNotification, writeNotification, type Verdict } from '../notify.ts';
import { until } from '../app.ts';
import type { Tour } from './recorder.ts';

/** Numbers whose pushes wait for a person; each of its own, so that they stay apart in what is kept. */
export const PHONES = { push: '923000001', page: '923000002', hold: '923000003', scan: '923000009' };
/** Numbers that answer by themselves (decisions §10). */
export const MAGIC = { 'who approves': '900000000', 'who is poor': '900000002', 'who is not active': '900000008' };

/** Calls the rail as people and testers do. @throws when it refused */
export async function askRail({ app }: Tour, path: string, body: object = {}, method = 'POST'): Promise<any> {
  const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${app.url}/sandbox/rail${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`the rail’s ${path}: ${response.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** The newest push of a payment, once the rail has it. */
export function findPush({ app }: Tour, paymentId: string): Promise<string> {
  return until(async () => {
    const [newest] = await app.sql(
      'select id, status from attempts where payment_id = $1 order by created_at desc, id desc limit 1',
      [paymentId],
    );
    return newest && newest.status !== 'Unsent' && newest.id;
  }, `the push of ${paymentId}`);
}

/** The rail's next word goes astray: what its answer says has nothing to race with. */
export async function loseNextWord(tour: Tour): Promise<void> {
  await askRail(tour, '/faults', { on: 'notification', kind: 'drop' });
}

/** The payer answers; everything that follows is over when this resolves. */
export async function answerPush(
  tour: Tour,
  paymentId: string,
  verdict: 'approve' | 'decline',
  reason?: string,
): Promise<void> {
  await askRail(tour, `/pushes/${await findPush(tour, paymentId)}/${verdict}`, reason ? { reason } : {});
  await tour.pass();
}

/** The rail tells of a push by itself, whatever it said before. */
export async function tellOfPush(tour: Tour, paymentId: string, verdict: Verdict): Promise<void> {
  await sendNotification(tour.app, writeNotification(tour.app, await findPush(tour, paymentId), verdict));
  await tour.pass();
}

/** Somebody scans a code and pays. */
export async function scanCode(tour: Tour, content: string, phone = PHONES.scan): Promise<void> {
  await askRail(tour, '/scans', { content, phone });
  await tour.pass();
}

type Paying = { amount?: string; channel?: string; fault?: string };

/** Somebody pays a reference at a machine; answers the rail's payments. */
export async function payReference(
  tour: Tour,
  { entity, reference }: { entity: string; reference: string },
  paying: Paying = {},
): Promise<any[]> {
  const { payments } = await askRail(tour, '/atm/payments', { entity, reference, ...paying });
  await tour.pass();
  return payments;
}
