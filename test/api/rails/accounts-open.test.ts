// What a rail account has begun stays its own: while it drains, while it is open (it cannot be removed), and when money comes after.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { purchase, travelUntil } from '../../support/payments.ts';
import { createReference, PPR, readReference, reference, untilRegistered } from '../../support/ppr.ts';
import { qrcode } from '../../support/qrcodes.ts';
import {
  addRail,
  callRails,
  idleBody,
  openAppyPay,
  openProxypay,
  type RailBody,
  withoutSecrets,
} from '../../support/rail-accounts.ts';
import { leavesNothing } from '../../support/rows.ts';
import { addUnits, minuteOf } from '../../support/sms.ts';

let app: TestApp;
let appypay: Awaited<ReturnType<typeof openAppyPay>>;
let proxypay: Awaited<ReturnType<typeof openProxypay>>;
let shop: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp();
  appypay = await openAppyPay(app.clock);
  proxypay = await openProxypay(app.clock);
});
beforeEach(async () => {
  shop = await app.addMerchant();
});

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { token: shop.token, body, ...(method && { method }) });
const read = async (id: string) => (await call(`/api/payments/${id}`)).json;
const remove = (id: string) => callRails(app, shop, { id, method: 'DELETE' });
const drain = (id: string, body: RailBody) =>
  callRails(app, shop, { id, method: 'PUT', body: { ...withoutSecrets(body), status: 'draining' } });

/** A push that AppyPay has, and what it is called there. */
async function push() {
  const { status, json } = await call('/api/payments', purchase('923456789'));
  expect(status).toBe(201);
  const railOrderId = await until(
    async () =>
      (await app.sql('select rail_order_id from attempts where payment_id = $1', [json.id]))[0]?.rail_order_id as
        string | undefined,
    'the rail having the push',
  );
  return { id: json.id as string, railOrderId };
}

/** As its payer does it on the fake's page. */
async function decide(id: string, action: string): Promise<void> {
  await fetch(`${appypay.fake.url}/_act`, { method: 'POST', body: new URLSearchParams({ id, action }) });
}

/** Beyond the life of a token. */
async function leapADay(): Promise<void> {
  app.clock.leap(24 * 3_600_000);
  shop = { ...shop, token: await app.token(shop.clientId, shop.secret) };
}

async function expectOpen(id: string, open: number): Promise<void> {
  const reply = await leavesNothing(app, () => remove(id));
  expect([reply.status, reply.json.code, reply.json.open]).toEqual([409, 'rail_account_in_use', open]);
  expect((await callRails(app, shop, { id })).status).toBe(200);
}

/** A refusal for want of an account, although the operator has one. */
async function expectNone(path: string, body: unknown): Promise<void> {
  const { status, json } = await leavesNothing(app, () => call(path, body));
  expect([status, json.code]).toEqual([400, 'payment_method_unavailable']);
}

test('a drained account begins nothing, nobody takes its place, and what it began goes on', async () => {
  const account = await addRail(app, shop, appypay.body);
  const begun = await push();
  expect((await drain(account.id, appypay.body)).json.status).toBe('draining');
  await expectNone('/api/payments', purchase('923456789'));
  await decide(begun.railOrderId, 'approve');
  const paid = await travelUntil(
    app,
    async () => {
      const found = await read(begun.id);
      return found.status === 'Paid' && found;
    },
    'the push that was begun being paid',
  );
  expect(paid.transactions).toHaveLength(1);
  const asked = await app.sql('select distinct rail from attempts where payment_id = $1', [begun.id]);
  expect(asked).toEqual([{ rail: account.id }]);
});

test('a disabled account is as none: the operator’s is used, as before there was one', async () => {
  const account = await addRail(app, shop, appypay.body);
  await callRails(app, shop, { id: account.id, method: 'PUT', body: { ...appypay.body, status: 'disabled' } });
  const { status, json } = await call('/api/payments', purchase('900000000'));
  expect(status).toBe(201);
  const rails = await app.sql('select rail from attempts where payment_id = $1', [json.id]);
  expect(rails).toEqual([{ rail: 'gpo' }]);
});

describe('removal waits', () => {
  test('for a push whose end is polled; a later unproven notification gets 404', async () => {
    const account = await addRail(app, shop, appypay.body);
    const begun = await push();
    await expectOpen(account.id, 1);
    await decide(begun.railOrderId, 'refuse');
    await travelUntil(app, async () => (await read(begun.id)).status === 'Failed', 'the refusal being heard');
    expect((await remove(account.id)).status).toBe(204);
    const news = { id: begun.railOrderId, responseStatus: { code: 231 } };
    const told = await fetch(account.notificationUrl.replace(app.node.core.publicUrl, app.url), {
      method: 'POST',
      body: JSON.stringify(news),
    });
    // An unproven notification of a removed account.
    expect(told.status).toBe(404);
  });

  test('for a code until nobody can pay it any more', async () => {
    const account = await addRail(app, shop, appypay.body);
    expect((await call('/api/payments', qrcode())).status).toBe(200);
    await expectOpen(account.id, 1);
    const isOver = async () => (await call(`/api/payments?status=Expired`)).json.totalItems === 1;
    await leapADay();
    await travelUntil(app, isOver, 'the end of the code');
    await expectOpen(account.id, 1);
    // It is asked about once more a day after its end.
    await leapADay();
    await travelUntil(app, async () => (await remove(account.id)).status === 204, 'the last word on the code');
  });

  test('for a reference; its late money is recorded, though the account is gone', async () => {
    const account = await addRail(app, shop, proxypay.body);
    proxypay.fake.book.notifyUrl = account.notificationUrl.replace(app.node.core.publicUrl, app.url);
    const made = await createReference(app, {}, { token: shop.token });
    expect(made.entity).toBe('00777');
    await untilRegistered(app, made.reference, shop.token);
    await expectOpen(account.id, 1);
    expect((await call(`${PPR}/${made.reference}/cancel`, undefined, 'POST')).status).toBe(200);
    await until(async () => !proxypay.fake.book.references.has(made.reference), 'the rail letting go of it');
    // What was registered a moment ago is withdrawn once more.
    await travelUntil(app, async () => (await remove(account.id)).status === 204, 'the account being free of work');
    // Without one of its own the merchant has the operator's.
    const [{ entity }] = await app.sql('select entity from merchants where id = $1', [shop.merchantId]);
    expect((await call(PPR, reference())).json.entity).toBe(entity);
    await proxypay.fake.book.pay(made.reference, '1500.00');
    const isPaid = async () => (await readReference(app, made.reference, shop.token)).amountPaid === 1500;
    await until(isPaid, 'the late money');
    expect((await call(`/api/payments/${made.reference}`)).json).toMatchObject({ status: 'Paid', late: true });
  });

  test('for a scheduled message until it is cancelled', async () => {
    const account = await addRail(app, shop, idleBody());
    await addUnits(app, shop.merchantId, 10);
    const at = minuteOf(new Date(app.clock.now().getTime() + 86_400_000));
    const body = { numerosDestino: ['923456789', '923456780'], conteudo: 'Olá', ...at };
    const { json } = await call('/api/Envio/agendarSms', body);
    await expectOpen(account.id, 2);
    expect((await call(`/api/Envio/CancelarAgendamento/${json.agendamentoId}`, undefined, 'DELETE')).status).toBe(200);
    expect((await remove(account.id)).status).toBe(204);
  });
});
