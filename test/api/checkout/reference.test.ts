// The checkout page, session, stream and client token of a payment reference.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { REFERENCE, sessionWith } from '../../support/checkout.ts';
import { readPayment } from '../../support/notify.ts';
import { orderFault, travelUntil } from '../../support/payments.ts';
import {
  byReference,
  cancel,
  createPayable,
  createReference,
  digits,
  pay,
  readReference,
  untilReceived,
  untilRegistered,
} from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';
import { openStream, type StreamReader } from '../../support/stream.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = { referenceType: 'Charging', amount: 0 };
const ask = (token: string, leaf = '', query = '') => app.call(`/checkout/${token}${leaf}${query}`, { token: null });
const readSession = async ({ clientToken }: any, query = ''): Promise<any> =>
  (await ask(clientToken, '/session', query)).json;
/** The page without its script, which contains the texts of all states. */
const readPage = async ({ clientToken }: any): Promise<string> =>
  (await ask(clientToken)).text.replace(/<script\b.*?<\/script>/gs, '').replace(/<style\b.*?<\/style>/gs, '');
const textOf = (html: string) => html.replace(/<[^>]+>/g, '');
const openEvents = ({ clientToken }: any) => openStream(`${app.url}/checkout/${clientToken}/events`);

describe('GET …/session of a payment reference', () => {
  test('returns the digits, the amount and the deadline', async () => {
    const made = await createPayable(app, { reference: digits(), description: 'Matrícula' });
    const { texts, ...session } = await readSession(made, '?lang=pt');
    expect(session).toEqual({
      ...sessionWith({ ...REFERENCE, sandbox: true, returnUrl: null, cancelUrl: null }),
      revision: 2,
      serverTime: app.clock.now().toISOString(),
      merchant: { ...session.merchant, name: 'Loja da Ilha' },
      reference: made.reference,
      description: 'Matrícula',
      amount: '1500.00',
      amountText: '1\u00a0500,00\u00a0Kz',
      expiresAt: made.expiresAt,
      ppr: { ...REFERENCE.ppr, reference: made.reference },
    });
    expect(texts['reference.title']).toMatch(/\S/);
  });

  test('returns a payable reference that POST /api/payments created', async () => {
    const { json } = await app.call('/api/payments', { body: byReference() });
    await untilRegistered(app, json.reference);
    const session = await readSession(json);
    expect(session.ppr).toMatchObject({ reference: json.reference, isRegistered: true, status: 'Pending' });
  });

  test('returns the deadline in the requested language', async () => {
    const made = await createPayable(app, { expiryDate: '2026-12-24' });
    const told = await Promise.all(['pt', 'en', 'fr'].map((lang) => readSession(made, `?lang=${lang}`)));
    expect(told.map(({ ppr }) => ppr.expiresAtText)).toEqual([
      '24 de Dezembro de 2026 às 23:59',
      '24 December 2026 at 23:59',
      '24 décembre 2026 à 23:59',
    ]);
  });

  test('returns isRegistered false until the reference is registered at the rail', async () => {
    const own = digits();
    await orderFault(app, { on: 'reference_register', kind: 'unavailable', times: 3, reference: own });
    const made = await createReference(app, { reference: own });
    expect((await readSession(made)).ppr).toMatchObject({ isRegistered: false, status: 'Pending' });
    const stream = await openEvents(made);
    await stream.untilEvent(({ data }) => data.ppr?.isRegistered === false, 'not active');
    await travelUntil(app, async () => (await readReference(app, own)).registeredAt, 'its registration');
    await stream.untilEvent(({ data }) => data.ppr?.isRegistered === true, 'active');
    stream.close();
  });

  test('returns the received payments of an open Charging reference', async () => {
    const made = await createPayable(app, open);
    const before = await readSession(made);
    expect(before).toMatchObject({ status: 'Pending', isFinal: false, amount: '0.00' });
    expect(before.ppr).toMatchObject({ type: 'Charging', isOpen: true, received: null });
    let sum = 0;
    for (const amount of ['1000.00', '250.50']) {
      await pay(app, made, { amount });
      sum += Number(amount);
      await untilReceived(app, made.reference, sum);
    }
    const after = await readSession(made);
    expect(after).toMatchObject({ status: 'Paid', isFinal: false });
    expect(after.ppr).toMatchObject({ status: 'Pending', received: { count: 2, amountText: '1\u00a0250,50\u00a0Kz' } });
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  test('returns isOpen false for a Charging reference that is paid up to its fixed amount', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 20 });
    const session = await readSession(made);
    expect([session.amount, session.ppr.isOpen]).toEqual(['20.00', false]);
  });

  test('returns the received amount of an underpaid Dynamic reference', async () => {
    const made = await createPayable(app);
    await pay(app, made, { amount: '500.00', fault: 'wrong_amount' });
    await untilReceived(app, made.reference, 500);
    const { status, isFinal, ppr } = await readSession(made);
    expect([status, isFinal, ppr.status]).toEqual(['Pending', false, 'Pending']);
    expect(ppr.received).toEqual({ count: 1, amountText: '500,00\u00a0Kz' });
  });

  test('counts partial payments of a reference', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 20 });
    await pay(app, made, { amount: '5.00', fault: 'wrong_amount' });
    await untilReceived(app, made.reference, 5);
    expect((await readSession(made)).ppr.received).toEqual({ count: 1, amountText: '5,00\u00a0Kz' });
  });

  test("returns a receipt with the provider's number and times of Luanda", async () => {
    const made = await createPayable(app);
    const [money] = await pay(app, made);
    await untilReceived(app, made.reference, 1500);
    const session = await readSession(made, '?lang=pt');
    expect(session).toMatchObject({
      status: 'Paid',
      isFinal: true,
      late: false,
      paidAt: money?.paidAt,
      transaction: money?.number,
    });
    expect(session.ppr.status).toBe('Paid');
    const hour = String((new Date(session.paidAt).getUTCHours() + 1) % 24).padStart(2, '0');
    expect(session.paidAtText).toContain(`${hour}:`);
  });
});

describe('GET /checkout/{clientToken} of a payment reference', () => {
  test('returns a page that is readable without JavaScript and has no field for a phone number', async () => {
    const made = await createPayable(app, { reference: digits() });
    const reply = await ask(made.clientToken);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await readPage(made);
    const { texts, amountText, ppr } = await readSession(made);
    for (const words of [texts['reference.title'], amountText, made.entity, made.reference, ppr.expiresAtText])
      expect(textOf(html)).toContain(words);
    expect(html).not.toContain('name="phoneNumber"');
    // The page has no buttons, because they need JavaScript.
    expect(html).not.toContain('<button');
  });
});

describe('POST …/pay of a payment reference', () => {
  test('returns 409 to a script and sends no push', async () => {
    const made = await createPayable(app);
    const body = { phoneNumber: '923456789' };
    const reply = await leavesNothing(app, () => app.call(`/checkout/${made.clientToken}/pay`, { body, token: null }));
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_payable']);
    expect(await app.sql('select from attempts where payment_id = $1', [made.internalId])).toEqual([]);
  });

  test('redirects a form to the unchanged page', async () => {
    const made = await createPayable(app);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = `/checkout/${made.clientToken}/pay`;
    const reply = await leavesNothing(app, () =>
      app.call(path, { body: 'phoneNumber=923456789', headers, token: null }),
    );
    const address = `/checkout/${made.clientToken}?error=try_again`;
    expect([reply.status, reply.headers.get('location')]).toEqual([303, address]);
    const { text } = await app.call(address, { token: null });
    expect(textOf(text)).toContain(made.reference);
    expect(text).not.toContain('<title>Erro');
    expect(await readPayment(app, made.reference)).toMatchObject({ status: 'Pending', paymentMethod: 'reference' });
  });

  test('creates no QR code, so GET …/qrcode.svg returns 404', async () => {
    const { clientToken } = await createPayable(app);
    expect((await ask(clientToken, '/qrcode.svg')).status).toBe(404);
  });
});

const statusesOf = (stream: StreamReader) =>
  stream.events.map(({ event, data }) => (event === 'session' ? `${data.status} ${data.ppr.status}` : event));

describe('the stream of a payment reference', () => {
  test('sends the status Paid and ends', async () => {
    const made = await createPayable(app);
    const stream = await openEvents(made);
    await stream.untilEvent(({ data }) => data.status === 'Pending', 'Pending');
    await pay(app, made);
    await stream.untilEnd();
    const statuses = statusesOf(stream);
    expect(statuses[0]).toBe('Pending Pending');
    expect(statuses.slice(-2)).toEqual(['Paid Paid', 'end']);
    const revisions = stream.events.slice(0, -1).map(({ data }) => data.revision);
    expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  });

  test('continues after each payment of a Charging reference, until the reference is canceled', async () => {
    const made = await createPayable(app, open);
    const stream = await openEvents(made);
    for (const [nth, amount] of ['1.00', '2.00'].entries()) {
      await pay(app, made, { amount });
      await stream.untilEvent(({ data }) => data.ppr?.received?.count === nth + 1, `payment ${nth + 1}`);
    }
    expect(statusesOf(stream)).not.toContain('end');
    await cancel(app, made.reference);
    await stream.untilEnd();
    expect(statusesOf(stream).slice(-2)).toEqual(['Paid Canceled', 'end']);
  });

  test.each([
    ['canceled', 'Canceled Canceled'],
    ['expired', 'Expired Expired'],
  ])('ends when the reference is %s', async (end, told) => {
    const expiryDate = new Date(app.clock.now().getTime() + 20_000).toISOString();
    const made = await createPayable(app, { expiryDate });
    const stream = await openEvents(made);
    await stream.untilEvent(({ data }) => data.status === 'Pending', 'Pending');
    if (end === 'canceled') await cancel(app, made.reference);
    else await travelUntil(app, async () => (await readReference(app, made.reference)).status === 'Expired', 'its end');
    await stream.untilEnd();
    expect(statusesOf(stream).slice(-2)).toEqual([told, 'end']);
  });
});

// These tests run last, because they advance the clock by days.
describe('the client token of a payment reference', () => {
  const statuses = (token: string) =>
    Promise.all(['', '/session', '/qrcode.svg'].map(async (leaf) => (await ask(token, leaf)).status));

  test.each([
    ['a canceled one', {}, ({ reference }: any) => cancel(app, reference)],
    ['a paid one', {}, (made: any) => pay(app, made)],
    [
      'a Charging one that was paid and canceled',
      open,
      async (made: any) => {
        await pay(app, made, { amount: '1.00' });
        await untilReceived(app, made.reference, 1);
        app.clock.leap(48 * HOUR_MS);
        expect((await ask(made.clientToken, '/session')).status).toBe(200);
        await cancel(app, made.reference);
      },
    ],
  ])('expires a day after the end of %s', async (_name, fields, finish) => {
    const made = await createPayable(app, fields);
    await finish(made);
    await until(async () => (await readReference(app, made.reference)).referenceStatus !== 'Pending', 'its end');
    app.clock.leap(24 * HOUR_MS);
    expect(await statuses(made.clientToken)).toEqual([200, 200, 404]);
    await app.clock.advance(1);
    expect(await statuses(made.clientToken)).toEqual([404, 404, 404]);
    expect((await readReference(app, made.reference)).clientToken).toBe(made.clientToken);
  });

  test('stays valid while a Charging reference is open', async () => {
    const made = await createPayable(app, open);
    await pay(app, made, { amount: '1.00' });
    await untilReceived(app, made.reference, 1);
    app.clock.leap(30 * 24 * HOUR_MS);
    expect((await ask(made.clientToken, '/session')).json.isFinal).toBe(false);
  });
});
