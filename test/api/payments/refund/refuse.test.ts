import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { cancel, createAuthorized } from '../../../support/authorizations.ts';
import { create, travelToStatus, webframe } from '../../../support/payments.ts';
import { byHand, createPaid, expectRefundsAgree, refund } from '../../../support/refunds.ts';

let app: TestApp;
let paid: any;
beforeAll(async () => {
  app = await startTestApp();
  paid = await createPaid(app);
});

const countRefunds = async () => Number((await app.sql('select count(*) from refunds'))[0].count);
afterEach(async () => expectRefundsAgree(app));

const errorsOf = ({ json }: { json: any }) => (json.errors ?? []).map((fault: any) => `${fault.pointer} ${fault.code}`);

describe('POST /api/payments/{paymentId}/refunds', () => {
  test.each<[string, object, string[]]>([
    ['more than the rest', byHand({ amount: 1500.01 }), ['/amount refund_exceeds']],
    ['zero', byHand({ amount: 0 }), ['/amount amount_out_of_range']],
    ['below zero', byHand({ amount: -5 }), ['/amount amount_out_of_range']],
    ['three decimals', byHand({ amount: 1.005 }), ['/amount amount_precision']],
    ['an amount as text', byHand({ amount: '5' }), ['/amount invalid_type']],
    ['an unknown method', { method: 'cheque' }, ['/method invalid_value']],
    ['a refund by hand without proof', { method: 'manual' }, ['/proof required']],
    ['a proof for a refund by the rail', { proof: 'TRF 1' }, ['/proof only_manual']],
    ['an unknown transaction', byHand({ transactionId: crypto.randomUUID() }), ['/transactionId unknown_transaction']],
    [
      'several faults, all named',
      { amount: 'x', method: 'manual', reason: 'x'.repeat(201), transactionId: '1' },
      ['/amount invalid_type', '/proof required', '/reason too_long', '/transactionId invalid_format'],
    ],
  ])('returns 400 for %s', async (_name, body, faults) => {
    const before = await countRefunds();
    const reply = await refund(app, paid.id, body);
    expect(reply.status, reply.text).toBe(400);
    expect(errorsOf(reply).toSorted()).toEqual(faults);
    expect(await countRefunds()).toBe(before);
  });

  test('names the amount that is left', async () => {
    const reply = await refund(app, paid.id, byHand({ amount: 2000 }));
    expect(reply.json.errors[0].message).toBe('must not be above the 1500.00 AOA that are left');
  });

  test('returns 409 for an unpaid payment', async () => {
    const open = await create(app, webframe());
    const reply = await refund(app, open.id, byHand());
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_paid']);
  });

  test('returns 409 for a Canceled authorization', async () => {
    const held = await createAuthorized(app);
    await cancel(app, held.id);
    await travelToStatus(app, held.id, 'Canceled');
    const reply = await refund(app, held.id, byHand());
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_paid']);
  });
});
