import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { roleOf } from '../../../shared/roles.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { openReference, receive, sellOne } from '../../support/deliveries.ts';
import { purchase, travelUntil, untilCalled } from '../../support/payments.ts';
import { createReference, digits, moneyFor, PPR, sendPprNotification, pprNotificationBody } from '../../support/ppr.ts';
import { RECEIVER_ENV, startReceiver, CONFIRMATION, type Receiver } from '../../support/receiver.ts';
import { addUnits } from '../../support/sms.ts';
import { openTerminalFixture, startScriptedTerminals, type TerminalRail } from '../../support/terminals.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts';

const FAILED = { status: 503 };

let app: TestApp;
let terminals: TerminalRail;
let merchant: Receiver;
let fixture: CallbackFixture;
let stranger: CallbackFixture;
beforeAll(async () => {
  const clock = testClock();
  terminals = await startScriptedTerminals();
  app = await startTestApp({ clock, env: { ...RECEIVER_ENV, ...terminals.env } });
  await app.startTwin();
});
beforeEach(async () => {
  merchant = await startReceiver();
  fixture = await openCallbackFixture(app, merchant.url);
  stranger = await openCallbackFixture(app);
  return async () => {
    expect(await notes(stranger)).toEqual([]);
    await merchant.stop();
  };
});

type Note = { tipo: string; titulo: string; mensagem: string };

/** Returns the merchant's notifications, the oldest first, with no-break spaces replaced by spaces. */
async function notes({ call }: Pick<CallbackFixture, 'call'> = fixture): Promise<Note[]> {
  const { json } = await call('/v1/notificacoes?pageSize=100');
  const data: Note[] = json.data.map((note: Note) => ({ ...note, mensagem: note.mensagem.replaceAll('\u00a0', ' ') }));
  return data.toReversed();
}
const types = async () => (await notes()).map(({ tipo }) => tipo);
const untilTypes = (count: number) =>
  until(async () => {
    const told = await types();
    return told.length >= count ? told : null;
  }, `${count} notifications`);
const host = () => new URL(merchant.url).host;

describe('a callback endpoint', () => {
  test('causes one notification when its circuit opens and one when it closes, with two nodes', async () => {
    merchant.answerWith(FAILED);
    await Promise.all(Array.from({ length: 10 }, () => sellOne(app, fixture)));
    await until(async () => (await types()).length > 0, 'being told');
    // The probes of both nodes fail too.
    await fixture.untilQuiet();
    const before = merchant.requests.length;
    await travelUntil(app, () => merchant.requests.length >= before + 3, 'three probes', 120_000);
    await fixture.untilQuiet();
    expect(await notes()).toMatchObject([
      { tipo: 'callback.endpoint_failing', mensagem: expect.stringContaining(`5 tentativas de entrega em ${host()}`) },
    ]);
    merchant.answerWith(CONFIRMATION);
    await travelUntil(app, fixture.areDelivered, 'everything being delivered', 300_000);
    expect(await untilTypes(2)).toEqual(['callback.endpoint_failing', 'callback.endpoint_recovered']);
    merchant.answerWith(FAILED);
    // A node may count an earlier success late, so that the endpoint needs more than five failures.
    await until(async () => {
      await sellOne(app, fixture);
      return (await types()).length === 3;
    }, 'the third notification');
    expect(await types()).toEqual([
      'callback.endpoint_failing',
      'callback.endpoint_recovered',
      'callback.endpoint_failing',
    ]);
  });

  test('causes one notification a day about abandoned callbacks', async () => {
    merchant.answerWith({ status: 410 });
    const isAbandoned = (count: number) =>
      until(async () => (await fixture.deliveries()).filter(({ status }) => status === 'Abandoned').length === count);
    for (let nth = 1; nth <= 3; nth++) {
      await sellOne(app, fixture);
      await isAbandoned(nth);
    }
    expect(await types()).toEqual(['callback.abandoned']);
    app.clock.leap(DAY_MS);
    await sellOne(app, { ...fixture, token: await fixture.tokenFor({}) });
    await isAbandoned(4);
    expect(await types()).toEqual(['callback.abandoned', 'callback.abandoned']);
  });
});

describe('money that arrives', () => {
  const sellFor = async (changes = {}) => createReference(app, changes, { token: await fixture.tokenFor({}) });

  test('in the requested amount causes no notification', async () => {
    await receive(app, await sellFor());
    const open = await openReference(app, fixture);
    for (const amount of ['10.00', '25.50']) await receive(app, open, amount);
    await until(fixture.areDelivered, 'all callbacks');
    expect(await notes()).toEqual([]);
  });

  test('after the cancellation of an open reference causes one payment.late per payment', async () => {
    const open = await openReference(app, fixture);
    await fixture.call(`${PPR}/${open.reference}/cancel`, { method: 'POST' });
    for (const amount of ['10.00', '20.00']) await receive(app, open, amount);
    const told = await notes();
    expect(told.map(({ tipo }) => tipo)).toEqual(['payment.late', 'payment.late']);
    expect(told[1]?.mensagem).toContain('Chegaram 20,00 Kz');
    expect(told[1]?.mensagem).toContain('de montante à escolha');
  });

  test('for an unknown reference notifies the merchant of the entity', async () => {
    const { clientId, secret } = await app.addMerchant({ entity: '00777' });
    const call: CallbackFixture['call'] = async (path, options) =>
      app.call(path, { token: await app.token(clientId, secret), ...options });
    const money = moneyFor(app, { entity: '00777', reference: digits() });
    for (let nth = 0; nth < 2; nth++) await sendPprNotification(app, pprNotificationBody(money, randomUUID()));
    await until(async () => (await app.sql('select from inbox where applied_at is null')).length === 0, 'both applied');
    const told = await notes({ call });
    expect(told).toMatchObject([{ tipo: 'reference.unknown_paid' }]);
    expect(told[0]?.mensagem).toContain(`1 500,00 Kz à entidade 00777, referência ${money.reference}`);
    expect(told[0]?.mensagem).toContain(money.transactionId);
  });
});

test('a payment without an outcome for days causes one payment.stuck', async () => {
  const { clientId, secret } = await app.addMerchant();
  const call: CallbackFixture['call'] = async (path, options) =>
    app.call(path, { token: await app.token(clientId, secret), ...options });
  // This rail serves only terminals. To a push it returns a body that the connector cannot parse.
  const { json } = await call('/api/payments', { body: purchase('923000001', { reference: 'PARADO' }) });
  expect(json.status).toBe('Processing');
  // The rail never receives this call. After days without an outcome its payment fails.
  await untilCalled(app, json.id);
  const laterBy = async (ms: number) => {
    app.clock.leap(ms);
    await app.clock.advance(1_000);
    return (await notes({ call })).length > 0;
  };
  await until(() => laterBy(6 * HOUR_MS), 'being told');
  for (let nth = 0; nth < 3; nth++) {
    await laterBy(DAY_MS);
    // A sync that a person requests does not get a readable response either.
    expect((await call(`/api/payments/${json.id}/sync`, { method: 'POST' })).status).toBe(503);
  }
  const told = await notes({ call });
  expect(told).toMatchObject([{ tipo: 'payment.stuck' }]);
  expect(told[0]?.mensagem).toContain('o que aconteceu ao pagamento PARADO, de 1 500,00 Kz');
});

describe('a terminal', () => {
  test('causes a notification if the rail closed it, but not if its own merchant closed it', async () => {
    const terminal = await openTerminalFixture(app);
    const { merchantId } = terminal;
    const told = async () =>
      (await app.sql('select type from notifications where merchant_id = $1', [merchantId])).map(({ type }) => type);
    await terminal.call('');
    await terminal.call('close');
    await terminal.call('open');
    expect(await told()).toEqual([]);
    await terminals.set(terminal.posId, { status: 'CLOSED' });
    for (let nth = 0; nth < 2; nth++) await terminal.call('');
    expect(await told()).toEqual(['terminal.closed']);
    await terminal.call('open');
    await terminals.set(terminal.posId, { status: 'CLOSED' });
    await terminal.call('');
    expect(await told()).toEqual(['terminal.closed', 'terminal.closed']);
    const { json } = await app.call('/v1/notificacoes', { token: terminal.token });
    expect(json.data[0].mensagem).toContain(`O terminal ${terminal.posId} foi fechado, e não por si`);
  });
});

describe('access to a merchant', () => {
  test('causes one notification when a person gets it, and one when the role changes', async () => {
    const email = `${randomUUID()}@loja.example`;
    const grant = (role: 'Cashier' | 'Viewer') =>
      fixture.call(`/api/merchants/${fixture.merchantId}/users`, { body: { email, roleId: roleOf(role).id } });
    expect((await grant('Cashier')).status).toBe(200);
    for (let nth = 0; nth < 2; nth++) expect((await grant('Viewer')).status).toBe(200);
    const told = await notes();
    expect(told).toMatchObject([{ tipo: 'access.granted' }, { tipo: 'access.changed' }]);
    expect(told[0]?.mensagem).toContain(`O sistema «test» deu a ${email} acesso à loja, com a função Caixa`);
    expect(told[1]?.mensagem).toContain(`mudou a função de ${email}, que passa a ser Consulta`);
  });

  test('causes a notification with the name of an API client when the client is created', async () => {
    const { status, json } = await fixture.call(`/api/merchants/${fixture.merchantId}/clients`, {
      body: { name: 'ERP' },
    });
    expect(status).toBe(201);
    const told = await notes();
    expect(told).toMatchObject([{ tipo: 'client.created' }]);
    expect(told[0]?.mensagem).toContain('criou as credenciais «ERP»');
    expect(told[0]?.mensagem).not.toContain(json.clientSecret);
  });
});

describe('the SMS balance of a merchant', () => {
  test('causes one notification a day while it is below its threshold', async () => {
    const send = async (count: number) => {
      const numerosDestino = Array.from({ length: count }, (_, nth) => `92600${String(nth).padStart(4, '0')}`);
      const { status } = await fixture.call('/api/Envio/enviarSms', { body: { numerosDestino, conteudo: 'x' } });
      expect(status).toBe(200);
    };
    await addUnits(app, fixture.merchantId, 101);
    await send(1);
    expect(await types()).toEqual([]);
    await send(1);
    const [told] = await notes();
    expect(told).toMatchObject({ tipo: 'sms.balance_low' });
    expect(told?.mensagem).toContain('99');
    await send(1);
    await addUnits(app, fixture.merchantId, 50);
    await send(60);
    expect(await types()).toEqual(['sms.balance_low']);
    app.clock.leap(DAY_MS);
    await addUnits(app, fixture.merchantId, 50);
    await send(60);
    expect(await types()).toEqual(['sms.balance_low', 'sms.balance_low']);
  });
});
