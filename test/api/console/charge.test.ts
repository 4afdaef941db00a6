import { beforeAll, describe, expect, test } from 'vitest';
import { showMoney } from '../../../shared/money.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { travelToStatus } from '../../support/payments.ts';
import { cashierOf, setTakesCash } from '../../support/shifts.ts';

const { merchantId } = DEMO;
const COUNTER = '/console/charge';

let app: TestApp;
let cashier: Visit;
beforeAll(async () => {
  app = await startTestApp();
  cashier = await enterConsole(app, await addMember(app, { merchantId, role: 'Cashier' }));
});

const count = async () => (await app.sql<{ n: number }>('select count(*)::int as n from payments'))[0]!.n;

async function charge(fields: Record<string, string>) {
  const reply = await cashier.act(COUNTER, 'charge', { amount: '1500,50', phone: '', about: 'Um pano', ...fields });
  expect(reply.status, reply.text).toBe(303);
  const [at = ''] = reply.headers.get('location')!.split('?');
  const { status, text } = await cashier.open(at);
  expect(status).toBe(200);
  return { at, id: at.split('/').at(-1)!, text };
}

describe('a charge at the counter', () => {
  test('by phone waits for the payer and ends with a receipt', async () => {
    const { at, id, text } = await charge({ way: 'push', phone: '900 000 000' });
    expect(text).toContain(showMoney(150_050, 'AOA'));
    expect(text).toContain('Peça ao cliente que confirme no telemóvel.');
    await travelToStatus(app, id, 'Paid');
    const paid = (await cashier.open(at)).text;
    expect(paid).toContain('Comprovativo');
    expect(paid).toContain('Um pano');
    expect(paid).toContain('Atendido por');
    for (const act of ['receiptSms', 'receiptMail']) expect(paid).toContain(`name="act" value="${act}"`);
  });

  test('by QR code shows the QR code', async () => {
    const { text } = await charge({ way: 'qrcode' });
    const [, image = ''] = /<img class="code" src="([^"]+)"/.exec(text) ?? [];
    const code = await app.call(image, { token: null });
    expect([code.status, code.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test('by reference shows the PPR entity and the reference, which the cashier can withdraw', async () => {
    const { at, id, text } = await charge({ way: 'reference' });
    const { entity, reference } = (await app.call(`/api/payments/${id}`)).json;
    expect(text).toContain(entity);
    expect(text).toContain(reference.replace(/(\d{3})(?=\d)/g, '$1 '));
    expect((await cashier.act(at, 'withdraw', { reference })).status).toBe(303);
    expect((await app.call(`/api/payments/${id}`)).json.status).toBe('Canceled');
  });

  test('is created once even if its form is sent several times', async () => {
    const before = await count();
    const token = formTokenIn(await cashier.open(COUNTER));
    const form = { act: 'charge', token, key: crypto.randomUUID(), amount: '10', way: 'push', phone: '900000000' };
    const sent = await Promise.all([1, 2, 3].map(() => cashier.post(COUNTER, form)));
    const again = await cashier.post(COUNTER, form);
    const places = new Set([...sent, again].map(({ headers }) => headers.get('location')).filter(Boolean));
    expect(places.size).toBe(1);
    expect(await count()).toBe(before + 1);
  });
});

describe('a sale in cash at the counter', () => {
  const openShift = async () => {
    const member = await addMember(app, { merchantId, role: 'Cashier' });
    const caller = cashierOf(app, member);
    const visit = await enterConsole(app, member);
    const { json } = await caller.call('/api/shifts', { method: 'POST', body: { openingCash: 0 } });
    return { visit, shift: json.id as string, read: async () => (await caller.call(`/api/shifts/${json.id}`)).json };
  };
  const sale = (shift: string) => ({ amount: '1.250', way: 'cash', phone: '', about: 'Dois panos', shift });

  test('is recorded in the open shift once, and creates no payment', async () => {
    await setTakesCash(app, merchantId, true);
    const { visit, shift, read } = await openShift();
    const before = await count();
    const till = await visit.open(COUNTER);
    expect(till.text).toContain('value="cash"');
    const form = { act: 'charge', token: formTokenIn(till), key: crypto.randomUUID(), ...sale(shift) };
    for (const reply of [await visit.post(COUNTER, form), await visit.post(COUNTER, form)]) {
      expect([reply.status, reply.text.includes('Venda em dinheiro registada')]).toEqual([200, true]);
      expect(reply.text).toContain(showMoney(125_000, 'AOA'));
      expect(reply.text).toContain('Dois panos');
    }
    expect((await read()).cash).toMatchObject({ sales: 1250 });
    expect(await count()).toBe(before);
  });

  test('is refused after another device has closed the shift, and keeps the typed amount', async () => {
    await setTakesCash(app, merchantId, true);
    const { visit, shift } = await openShift();
    await visit.act(`/console/shifts/${shift}`, 'shiftClose', { countedCash: '0', note: '' });
    const reply = await visit.act(COUNTER, 'charge', sale(shift));
    expect(reply.status).toBe(409);
    expect(reply.text).toContain('value="1.250"');
    expect(reply.text).toContain('a venda em dinheiro não ficou registada');
    expect(reply.text).toMatch(/<input type="radio" name="way" value="push" checked/);
  });

  test('is not offered without an open shift', async () => {
    await setTakesCash(app, merchantId, true);
    const visit = await enterConsole(app, await addMember(app, { merchantId, role: 'Cashier' }));
    expect((await visit.open(COUNTER)).text).not.toContain('value="cash"');
  });
});

test.each([
  ['an ambiguous amount', { amount: '1500,500', way: 'push', phone: '900000000' }, 'charge-amount-error'],
  ['the amount 0', { amount: '0', way: 'reference', phone: '' }, 'charge-amount-error'],
  ['no phone number', { amount: '10', way: 'push', phone: '' }, 'charge-phone-error'],
  ['an invalid phone number', { amount: '10', way: 'push', phone: '<b>12</b>' }, 'charge-phone-error'],
])(
  'a charge with %s is refused with an error beside the field, and keeps the typed values',
  async (_what, fields, error) => {
    const before = await count();
    const { status, text } = await cashier.act(COUNTER, 'charge', fields);
    expect(status).toBe(400);
    expect(text).toContain(`id="${error}"`);
    expect(text).toContain(`value="${fields.amount}"`);
    expect(text).not.toContain('<b>12');
    expect(await count()).toBe(before);
  },
);
