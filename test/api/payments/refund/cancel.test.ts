import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../../support/app.ts';
import { approved, NOTIFY_ENV, notify, readAttempts, readPayment, PENDING_PHONE } from '../../../support/notify.ts';
import { create, orderFault, purchase, untilStatus } from '../../../support/payments.ts';
import {
  byHand,
  createPaid,
  createRefund,
  expectRefundsAgree,
  notifyRefund,
  readRefund,
} from '../../../support/refunds.ts';

/** No server listens at this address. */
const AWAY_ENV = { ...NOTIFY_ENV, GPO_URL: 'http://127.0.0.1:9' };

let app: TestApp;
let away: TestApp;
beforeAll(async () => {
  [app, away] = await Promise.all([startTestApp(), startTestApp({ env: AWAY_ENV })]);
});
afterEach(async () => {
  await expectRefundsAgree(app);
  await expectRefundsAgree(away);
});

const cancel = (node: TestApp, id: string) => node.call(`/api/refunds/${id}/cancel`, { method: 'POST' });

/** Creates a refund whose request never reaches the rail. */
async function createUnreached() {
  const payment = await create(away, purchase(PENDING_PHONE));
  const [push] = await readAttempts(away, payment.id);
  await notify(away, push.id, approved());
  await untilStatus(away, payment.id, 'Paid');
  const { id } = await createRefund(away, payment.id);
  const isKnown = async () => (await readAttempts(away, payment.id)).at(-1).status === 'Unreached';
  await until(isKnown, 'the refund being Unreached');
  return { payment, id };
}

describe('the cancel of a refund that never reached the rail', () => {
  test('returns Canceled, also if repeated, and lets the money be refunded again', async () => {
    const { payment, id } = await createUnreached();
    expect(await readRefund(away, id)).toMatchObject({ status: 'Pending' });
    const { status, json } = await cancel(away, id);
    expect([status, json.status]).toEqual([200, 'Canceled']);
    expect((await cancel(away, id)).json).toEqual(json);
    expect(await createRefund(away, payment.id, byHand())).toMatchObject({ amount: 1500 });
    const [{ count }] = await away.sql(
      `select count(*) from audit_entries where target = $1 and action = 'refund.canceled'`,
      [id],
    );
    expect(Number(count)).toBe(1);
  });

  test('prevents that the node sends it later', async () => {
    const { payment, id } = await createUnreached();
    await cancel(away, id);
    const before = await readAttempts(away, payment.id);
    away.clock.leap(3_600_000);
    await away.clock.advance(5_000);
    expect(await readAttempts(away, payment.id)).toEqual(before);
  });

  test('is overridden by a late approval: the refund becomes Succeeded and late', async () => {
    const { payment, id } = await createUnreached();
    await cancel(away, id);
    expect(await notifyRefund(away, id)).toBe('applied');
    expect(await readRefund(away, id)).toMatchObject({ status: 'Succeeded', late: true });
    expect(await readPayment(away, payment.id)).toMatchObject({ amountRefunded: 1500, refundStatus: 'full' });
  });
});

describe('the cancel of a refund', () => {
  test('returns 409 if the rail has received the refund', async () => {
    const paid = await createPaid(app);
    // The rail keeps refunds of this amount pending for a day.
    const { id } = await createRefund(app, paid.id, { amount: 900.03 });
    await until(async () => (await readRefund(app, id)).status === 'Processing', 'its status being Processing');
    expect((await cancel(app, id)).json).toMatchObject({ status: 409, code: 'refund_not_cancelable' });
  });

  test('returns 409 while the call of the refund is in flight', async () => {
    const paid = await createPaid(app);
    await orderFault(app, { on: 'refund', kind: 'hang', phone: '+244900000000' });
    const { id } = await createRefund(app, paid.id);
    expect(await readRefund(app, id)).toMatchObject({ status: 'Pending' });
    expect((await cancel(app, id)).json).toMatchObject({ status: 409, code: 'refund_not_cancelable' });
  });

  test('returns 409 if the refund succeeded', async () => {
    const paid = await createPaid(app);
    const { id } = await createRefund(app, paid.id, byHand({ amount: 1 }));
    expect((await cancel(app, id)).json.code).toBe('refund_not_cancelable');
  });
});
