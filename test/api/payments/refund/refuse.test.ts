// What no refund comes of: each with its clear error, and nothing written.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { cancel, createAuthorized } from '../../../support/authorizations.ts';
import { create, travelUntil, webframe } from '../../../support/payments.ts';
import { byHand, createPaid, createRefund, expectRefundsAgree, refund } from '../../../support/refunds.ts';

let app: TestApp;
let paid: any;
beforeAll(async () => {
  app = await startTestApp();
  paid = await createPaid(app);
});

const countRefunds = async () => Number((await app.sql('select count(*) from refunds'))[0].count);
let before = 0;
afterEach(async () => expectRefundsAgree(app));

const errorsOf = ({ json }: { json: any }) => (json.errors ?? []).map((fault: any) => `${fault.pointer} ${fault.code}`);

describe('bad input', () => {
  test.each<[string, object, string[]]>([
    ['more than is left', byHand({ amount: 1500.01 }), ['/amount refund_exceeds']],
    ['zero', byHand({ amount: 0 }), ['/amount amount_out_of_range']],
    ['below zero', byHand({ amount: -5 }), ['/amount amount_out_of_range']],
    ['three decimals', byHand({ amount: 1.005 }), ['/amount amount_precision']],
    ['text for an amount', byHand({ amount: '5' }), ['/amount invalid_type']],
    ['a word for a method', { method: 'cheque' }, ['/method invalid_value']],
    ['by hand without proof', { method: 'manual' }, ['/proof required']],
    ['proof through the rail', { proof: 'TRF 1' }, ['/proof only_manual']],
    ['nobody’s transaction', byHand({ transactionId: crypto.randomUUID() }), ['/transactionId unknown_transaction']],
    [
      'several faults at once',
      { amount: 'x', method: 'manual', reason: 'x'.repeat(201), transactionId: '1' },
      ['/amount invalid_type', '/proof required', '/reason too_long', '/transactionId invalid_format'],
    ],
  ])('%s', async (_name, body, faults) => {
    before = await countRefunds();
    const reply = await refund(app, paid.id, body);
    expect(reply.status, reply.text).toBe(400);
    expect(errorsOf(reply).toSorted()).toEqual(faults);
    expect(await countRefunds()).toBe(before);
  });

  test('says how much is left', async () => {
    const reply = await refund(app, paid.id, byHand({ amount: 2000 }));
    expect(reply.json.errors[0].message).toBe('must not be above the 1500.00 AOA that are left');
  });
});

describe('no money', () => {
  test('a payment never paid', async () => {
    const open = await create(app, webframe());
    const reply = await refund(app, open.id, byHand());
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_paid']);
  });

  test('a Canceled hold', async () => {
    const held = await createAuthorized(app);
    await cancel(app, held.id);
    await travelUntil(
      app,
      async () => (await app.call(`/api/payments/${held.id}`)).json.status === 'Canceled',
      'the cancel',
    );
    const reply = await refund(app, held.id, byHand());
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_paid']);
  });
});

describe('what is another merchant’s does not exist', () => {
  test.each(['list', 'ask', 'read', 'cancel', 'sync'])('%s', async (what) => {
    const made = await createRefund(app, paid.id, byHand({ amount: 1 }));
    const { token } = await app.addMerchant();
    const asked = {
      list: () => app.call(`/api/payments/${paid.id}/refunds`, { token }),
      ask: () => refund(app, paid.id, byHand(), { token }),
      read: () => app.call(`/api/refunds/${made.id}`, { token }),
      cancel: () => app.call(`/api/refunds/${made.id}/cancel`, { method: 'POST', token }),
      sync: () => app.call(`/api/refunds/${made.id}/sync`, { method: 'POST', token }),
    }[what] as () => Promise<{ status: number }>;
    expect((await asked()).status).toBe(404);
  });
});
