// Both ways of creating a reference make one thing, found under each other's endpoints, its digits the same wherever they are shown.
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { byReference, PPR, readAtMachine, reference, untilRegistered } from '../../../support/ppr.ts';
import { countRows } from '../../../support/rows.ts';

const CUSTOMER = {
  customerEmail: 'ana@example.ao',
  customerName: 'Ana Kiala',
  customerTelephone: '(+244) 923 456 789',
  documentNumber: '004512345LA042',
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const postReference = (body: object) => app.call(PPR, { body });
const postPayment = (body: object) => app.call('/api/payments', { body });
const read = async (path: string) => (await app.call(path)).json;

test('make one reference, one payment and the same events', async () => {
  for (const create of [() => postReference(reference()), () => postPayment(byReference())]) {
    const before = await countRows(app);
    const { json } = await create();
    await untilRegistered(app, json.reference);
    const after = await countRows(app);
    const made = Object.fromEntries(Object.keys(after).map((name) => [name, after[name]! - before[name]!]));
    expect(made).toMatchObject({ payments: 1, payment_references: 1, attempts: 0, transactions: 0 });
    const { data } = await read(`${PPR}/${json.reference}/history`);
    expect(data.map(({ type }: any) => type)).toEqual(['payment.created', 'reference.registered']);
  }
});

test('make the same: only ids, digits and tokens differ', async () => {
  const about = { referenceType: 'Charging', expiryDate: '2027-01-31', description: 'Quotas', ...CUSTOMER };
  const replies = [
    await postReference({ amount: 10, ...about, customMetadata: { a: 1 } }),
    await postPayment(byReference({ ...about, custom: { a: 1 } }, { amount: 10 })),
  ];
  for (const path of ['/api/payments', PPR]) {
    const shown = [];
    for (const { json } of replies) {
      await untilRegistered(app, json.reference);
      const {
        id: _,
        internalId,
        reference,
        checkoutUrl,
        clientToken,
        ...rest
      } = await read(`${path}/${json.reference}`);
      expect([internalId, reference, clientToken]).toEqual([json.internalId, json.reference, json.clientToken]);
      expect(checkoutUrl).toBe(json.checkoutUrl);
      shown.push(rest);
    }
    expect(shown[0]).toEqual(shown[1]);
  }
});

test.each(['000000000', '000000001', '123456789012345', '0012345678'])(
  'digits %s stay as they are, wherever they are shown',
  async (own) => {
    const { json } = await postReference({ amount: 1, reference: own });
    await untilRegistered(app, own);
    const list = await read(`${PPR}?pageSize=1`);
    const payments = await read(`/api/payments?reference=${own}`);
    const history = await read(`${PPR}/${own}/history`);
    const machine = await readAtMachine(app, json);
    expect(json.reference).toBe(own);
    expect([list.data[0].reference, history.reference, machine.reference]).toEqual([own, own, own]);
    expect(payments.data).toMatchObject([{ id: own, reference: own, paymentType: 'PPR', internalId: json.internalId }]);
    expect((await read(`/api/payments/${own}`)).reference).toBe(own);
    expect(history.message).toContain(own.replace(/(\d{3})(?=\d)/g, '$1 '));
  },
);

test('generated digits are nine, and others each time', async () => {
  const made = await Promise.all(Array.from({ length: 30 }, () => postReference({ amount: 1 })));
  const generated = made.map(({ json }) => json.reference);
  expect(generated.filter((one) => !/^[0-9]{9}$/.test(one))).toEqual([]);
  expect(new Set(generated).size).toBe(30);
});
