// The checkout of a payment by reference: what its page and session say, from its activation to its end; and that no phone is asked.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
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
  readSteps,
  untilReceived,
  untilRegistered,
} from '../../support/ppr.ts';
import { leavesNothing } from '../../support/rows.ts';
import { openStream } from '../../support/stream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const open = { referenceType: 'Charging', amount: 0 };
const ask = (token: string, leaf = '', query = '') => app.call(`/checkout/${token}${leaf}${query}`, { token: null });
const readSession = async ({ clientToken }: any, query = ''): Promise<any> =>
  (await ask(clientToken, '/session', query)).json;
/** What the page shows; its script carries the words of other states too. */
const readPage = async ({ clientToken }: any): Promise<string> =>
  (await ask(clientToken)).text.replace(/<script\b.*?<\/script>/gs, '').replace(/<style\b.*?<\/style>/gs, '');
const textOf = (html: string) => html.replace(/<[^>]+>/g, '');
const openEvents = ({ clientToken }: any) => openStream(`${app.url}/checkout/${clientToken}/events`);

describe('the session', () => {
  test('says what a payer types at a machine, and until when', async () => {
    const made = await createPayable(app, { reference: digits(), description: 'Matrícula' });
    const { texts, ...session } = await readSession(made, '?lang=pt');
    expect(session).toEqual({
      revision: 2,
      serverTime: app.clock.now().toISOString(),
      lang: 'pt',
      sandbox: true,
      merchant: {
        name: 'Loja da Ilha',
        brand: null,
        hasLogo: false,
        noticePath: expect.stringMatching(/^\/privacidade\/[0-9a-f-]{36}$/),
      },
      reference: made.reference,
      description: 'Matrícula',
      amount: '1500.00',
      currency: 'AOA',
      amountText: '1\u00a0500,00\u00a0Kz',
      method: 'reference',
      status: 'Pending',
      isFinal: false,
      phone: null,
      pushSentAt: null,
      pushExpiresAt: null,
      expiresAt: made.expiresAt,
      untilText: null,
      attemptsLeft: 0,
      failure: null,
      paidAt: null,
      paidAtText: null,
      late: false,
      transaction: null,
      thanks: null,
      refund: null,
      qr: null,
      ppr: {
        entity: '00999',
        reference: made.reference,
        type: 'Dynamic',
        status: 'Pending',
        isOpen: false,
        isRegistered: true,
        expiresAtText: '2 de abril de 2026 às 10:00',
        received: null,
      },
      ways: null,
      canUseReference: null,
      replacedByUrl: null,
      returnUrl: null,
      cancelUrl: null,
    });
    expect(texts['reference.title']).toMatch(/\S/);
  });

  test('is the same for a reference made as a payment', async () => {
    const { json } = await app.call('/api/payments', { body: byReference() });
    await untilRegistered(app, json.reference);
    const session = await readSession(json);
    expect(session.ppr).toMatchObject({ reference: json.reference, isRegistered: true, status: 'Pending' });
  });

  test('tells the end in the language it is asked in', async () => {
    const made = await createPayable(app, { expiryDate: '2026-12-24' });
    const told = await Promise.all(['pt', 'en', 'fr'].map((lang) => readSession(made, `?lang=${lang}`)));
    expect(told.map(({ ppr }) => ppr.expiresAtText)).toEqual([
      '24 de dezembro de 2026 às 23:59',
      '24 December 2026 at 23:59',
      '24 décembre 2026 à 23:59',
    ]);
  });

  test('says that it is being activated until the rail knows it', async () => {
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

  test('of a Charging one is open, and shows what has been received', async () => {
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

  test('of a fixed Charging one is not open', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 20 });
    const session = await readSession(made);
    expect([session.amount, session.ppr.isOpen]).toEqual(['20.00', false]);
  });

  test('of a Dynamic one that was paid too little shows what came', async () => {
    const made = await createPayable(app);
    await pay(app, made, { amount: '500.00', fault: 'wrong_amount' });
    await untilReceived(app, made.reference, 500);
    const { status, isFinal, ppr } = await readSession(made);
    expect([status, isFinal, ppr.status]).toEqual(['Pending', false, 'Pending']);
    expect(ppr.received).toEqual({ count: 1, amountText: '500,00\u00a0Kz' });
  });

  test('counts every payment it adds up, whole or not', async () => {
    const made = await createPayable(app, { referenceType: 'Charging', amount: 20 });
    await pay(app, made, { amount: '5.00', fault: 'wrong_amount' });
    await untilReceived(app, made.reference, 5);
    expect((await readSession(made)).ppr.received).toEqual({ count: 1, amountText: '5,00\u00a0Kz' });
  });

  test('is a receipt once it is paid, with the rail’s number and the payer’s own time', async () => {
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

describe('the page', () => {
  test('is readable before any script: entity, reference, amount, end, and no phone is asked for', async () => {
    const made = await createPayable(app, { reference: digits() });
    const reply = await ask(made.clientToken);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await readPage(made);
    const { texts, amountText, ppr } = await readSession(made);
    for (const words of [texts['reference.title'], amountText, made.entity, made.reference, ppr.expiresAtText])
      expect(textOf(html)).toContain(words);
    expect(html).not.toContain('name="phoneNumber"');
    // What needs a script is not there without one.
    expect(html).not.toContain('<button');
  });

  test.each([
    ['paid', 'paid.title', (made: any) => pay(app, made)],
    ['canceled', 'reference.canceled', ({ reference }: any) => cancel(app, reference)],
  ])('of one that was %s does not ask to pay any more', async (_end, key, finish) => {
    const made = await createPayable(app);
    await finish(made);
    await until(async () => (await readReference(app, made.reference)).referenceStatus !== 'Pending', 'its end');
    const { texts } = await readSession(made);
    expect(textOf(await readPage(made))).toContain(texts[key]);
    expect(textOf(await readPage(made))).not.toContain(texts['reference.title'] ?? 'Pague por referência');
  });
});

describe('POST …/pay is not for references', () => {
  test.each(['Pending', 'Paid', 'Canceled'])('%s: by script 409, and nothing is sent', async (state) => {
    const made = await createPayable(app);
    if (state === 'Paid') {
      await pay(app, made);
      await untilReceived(app, made.reference, 1500);
    }
    if (state === 'Canceled') await cancel(app, made.reference);
    if (state !== 'Pending')
      await until(async () => (await readSteps(app, made.reference)).includes('reference.withdrawn'), 'its end');
    const body = { phoneNumber: '923456789' };
    const reply = await leavesNothing(app, () => app.call(`/checkout/${made.clientToken}/pay`, { body, token: null }));
    expect([reply.status, reply.json.code]).toEqual([409, 'payment_not_payable']);
    expect(await app.sql('select from attempts where payment_id = $1', [made.internalId])).toEqual([]);
  });

  test('by form leads back to the page as it is', async () => {
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

  test('there is no code to scan', async () => {
    const { clientToken } = await createPayable(app);
    expect((await ask(clientToken, '/qrcode.svg')).status).toBe(404);
  });
});
