// Receipts by SMS and mail: their texts, their refusals, their limits, and the traces of the recipient.
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/durations.ts';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { startMailServer, type MailServer } from '../../support/mail.ts';
import { addMember } from '../../support/members.ts';
import { create, creepUntil, webframe } from '../../support/payments.ts';
import { byHand, createPaid, createRefund } from '../../support/refunds.ts';
import { optOut, readBalance } from '../../support/sms.ts';

const { merchantId } = DEMO;
const ADDRESS = 'cliente.fiel@correio.example';

let app: TestApp;
let server: MailServer;
const lines: string[] = [];
beforeAll(async () => {
  server = await startMailServer();
  const logTo = new PassThrough();
  logTo.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  app = await startTestApp({ env: { SMTP_URL: server.url, LOG_LEVEL: 'info' }, logTo });
  await app.sql(`update merchants set tax_id = '5417000000' where id = $1`, [merchantId]);
});
afterAll(async () => {
  await server?.close();
});

const send = (paymentId: string, body: object, options: CallOptions = {}) =>
  app.call(`/api/payments/${paymentId}/receipt`, { body, ...options });
const byMail = (to = ADDRESS) => ({ channel: 'mail', to });
const bySms = (to = '923 456 789') => ({ channel: 'sms', to });
const key = () => ({ headers: { 'idempotency-key': randomUUID() } });
const readMails = () => app.sql('select * from mails where merchant_id = $1 order by id', [merchantId]);
const untilSent = (count: number) =>
  creepUntil(app, async () => (await readMails()).filter(({ sent_at: at }) => at).length >= count, `${count} mails`);
/** The decoded text of a delivered mail, on long lines. */
const decode = (raw: string) =>
  Buffer.from(
    raw.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

describe('sendReceipt by mail', () => {
  test('delivers the receipt once for one key, and then empties the address', async () => {
    const { id } = await createPaid(app, { description: 'Dois cafés' });
    await createRefund(app, id, byHand({ amount: 500 }));
    const options = key();
    const first = await send(id, byMail(' Cliente.Fiel@correio.example '), options);
    expect([first.status, first.json]).toEqual([202, { channel: 'mail', units: 0 }]);
    const repeated = await send(id, byMail(' Cliente.Fiel@correio.example '), options);
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
    await untilSent(1);
    expect(server.delivered.map(({ to }) => to)).toEqual([[ADDRESS]]);
    const text = decode(server.delivered[0]!.raw).replaceAll('\u00a0', ' ');
    for (const part of ['Pago: 1 500,00 Kz', 'Devolvido em parte: 500,00 Kz', 'NIF: 5417000000', 'Dois cafés'])
      expect(text).toContain(part);
    expect(await readMails()).toMatchObject([{ to: '', sealed_text: '', sealed_html: '', due_at: null }]);
  });

  test('names the person who charged', async () => {
    const cashier = await addMember(app, { merchantId, role: 'Cashier' });
    const token = await cashier.token();
    const call = (path: string, options: CallOptions = {}) => app.call(path, { ...options, token });
    const { id } = await createPaid({ ...app, call } as TestApp);
    expect((await send(id, byMail(), { token })).status).toBe(202);
    await untilSent(2);
    expect(decode(server.delivered.at(-1)!.raw)).toContain('Atendido por: Ana Neto');
  });

  test('writes neither the address nor a number in full to the log', async () => {
    const { id } = await createPaid(app);
    await send(id, byMail());
    await send(id, bySms('923 999 888'));
    await untilSent(3);
    expect(lines.join('')).toContain('c***@correio.example');
    expect(lines.join('')).not.toMatch(/cliente\.fiel|923 ?999 ?888/i);
  });

  test('is reached by an erasure of the merchant while the mail waits', async () => {
    server.refuseWith({ code: 451, text: 'later' });
    const { id } = await createPaid(app);
    await send(id, byMail());
    const { json } = await app.call('/api/privacy/erase', { body: { email: ADDRESS } });
    await creepUntil(
      app,
      async () => {
        const { waitingFor } = (await app.call(`/api/privacy/erasures/${json.id}`)).json;
        return waitingFor.some(({ kind }: { kind: string }) => kind === 'mail');
      },
      'the erasure waiting for the mail',
    );
    server.refuseWith(null);
    app.clock.leap(5 * MINUTE_MS);
    await untilSent(4);
    await creepUntil(
      app,
      async () => (await app.call(`/api/privacy/erasures/${json.id}`)).json.status === 'Done',
      'the end of the erasure',
      1_000,
    );
    expect(await app.sql('select from mails where "to" ilike $1', [`%${ADDRESS}%`])).toEqual([]);
  });
});

describe('sendReceipt by SMS', () => {
  test('sends a short text from the units of the shop, also for a cashier', async () => {
    const token = await (await addMember(app, { merchantId, role: 'Cashier' })).token();
    const { id, reference } = await createPaid(app);
    const before = await readBalance(app);
    const { status, json } = await send(id, bySms(), { token });
    expect([status, json]).toEqual([202, { channel: 'sms', units: 1 }]);
    expect(await readBalance(app)).toBe(before - 1);
    const [{ phone, content }] = await app.sql('select phone, content from sms_messages order by id desc limit 1');
    expect(phone).toBe('+244923456789');
    expect(content).toMatch(
      /^Loja da Ilha, NIF 5417000000\. Pago 1 500,00 Kz, \d\d\/\d\d\/\d{4} \d\d:\d\d, Multicaixa/,
    );
    expect(content).toContain(`Ref. ${reference}.`);
  });

  test('is refused without effect for a person who opted out', async () => {
    const { id } = await createPaid(app);
    await optOut(app, merchantId, '+244923000111');
    const { status, json } = await send(id, bySms('923000111'));
    expect([status, json.code]).toEqual([409, 'recipient_opted_out']);
    expect(await app.sql('select from sent_receipts where payment_id = $1', [id])).toEqual([]);
  });

  test('is refused without units', async () => {
    const shop = await app.addMerchant();
    const call = (path: string, options: CallOptions = {}) => app.call(path, { ...options, token: shop.token });
    const { id } = await createPaid({ ...app, call } as TestApp);
    const { status, json } = await send(id, bySms(), { token: shop.token });
    expect([status, json.code, json.saldoAtual]).toEqual([409, 'insufficient_sms_balance', 0]);
  });
});

describe('sendReceipt', () => {
  test('refuses a payment that received no money', async () => {
    const { internalId } = await create(app, webframe());
    const { status, json } = await send(internalId, byMail());
    expect([status, json.code]).toEqual([409, 'receipt_unavailable']);
  });

  test.each([
    ['a number in a mail', { channel: 'mail', to: '923456789' }, 'invalid_email', '/to'],
    ['an address in an SMS', { channel: 'sms', to: ADDRESS }, 'invalid_phone', '/to'],
    ['another channel', { channel: 'fax', to: ADDRESS }, 'validation_failed', '/channel'],
    ['no recipient', { channel: 'mail' }, 'validation_failed', '/to'],
  ])('refuses %s', async (_what, body, code, pointer) => {
    const { id } = await createPaid(app);
    const { status, json } = await send(id, body);
    expect(status).toBe(400);
    expect([json.code, json.errors.map((each: any) => each.pointer)]).toEqual([
      code.startsWith('invalid') ? 'validation_failed' : code,
      [pointer],
    ]);
    if (code.startsWith('invalid')) expect(json.errors[0].code).toBe(code);
  });

  test('returns 404 for an unknown transaction and for another merchant’s payment', async () => {
    const { id } = await createPaid(app);
    const unknown = await send(id, { ...byMail(), transactionId: randomUUID() });
    expect([unknown.status, unknown.json.errors]).toMatchObject([404, [{ pointer: '/transactionId' }]]);
    const { token } = await app.addMerchant();
    expect((await send(id, byMail(), { token })).status).toBe(404);
  });

  test('needs the scope payments:write', async () => {
    const { id } = await createPaid(app);
    const viewer = await (await addMember(app, { merchantId, role: 'Viewer' })).token();
    expect((await send(id, byMail(), { token: viewer })).status).toBe(403);
    expect((await send(id, byMail(), { token: null })).status).toBe(401);
  });

  test('accepts three receipts of one payment in an hour, by any channel and to any recipient', async () => {
    const { id } = await createPaid(app);
    const start = app.clock.now().getTime();
    for (const body of [byMail('a@correio.example'), byMail('b@correio.example'), bySms()])
      expect((await send(id, body)).status).toBe(202);
    const refused = await send(id, byMail('c@correio.example'));
    expect([refused.status, refused.json.code]).toEqual([429, 'too_many_receipts']);
    const waitS = Number(refused.headers.get('retry-after'));
    const passedS = (app.clock.now().getTime() - start) / 1000;
    expect(waitS).toBeGreaterThan(HOUR_MS / 1000 - passedS - 1);
    expect(waitS).toBeLessThanOrEqual(HOUR_MS / 1000);
    app.clock.leap(waitS * 1000);
    expect((await send(id, byMail('c@correio.example'))).status).toBe(202);
  });

  test('accepts three of six concurrent receipts of one payment', async () => {
    const { id } = await createPaid(app);
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(id, bySms())));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 429, 429, 429]);
  });

  test('accepts sixty receipts of one merchant in an hour', async () => {
    const shop = await app.addMerchant();
    const call = (path: string, options: CallOptions = {}) => app.call(path, { ...options, token: shop.token });
    const { id } = await createPaid({ ...app, call } as TestApp);
    await app.sql(
      `insert into sent_receipts select gen_random_uuid(), $1, gen_random_uuid(), 'mail', $2 from generate_series(1, 59)`,
      [shop.merchantId, app.clock.now()],
    );
    expect((await send(id, byMail(), { token: shop.token })).status).toBe(202);
    const refused = await send(id, byMail(), { token: shop.token });
    expect([refused.status, refused.json.code]).toEqual([429, 'too_many_receipts']);
    app.clock.leap(HOUR_MS);
    expect((await send(id, byMail(), { token: await app.token(shop.clientId, shop.secret) })).status).toBe(202);
  });
});
