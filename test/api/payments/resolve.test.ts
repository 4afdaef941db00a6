import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type CallOptions, type TestApp } from '../../support/app.ts';
import { enterConsole } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { createPayable, moneyFor, notifyPprPayment, pay, readFieldFaults, untilReceived } from '../../support/ppr.ts';
import { createPaid } from '../../support/refunds.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const { merchantId } = DEMO;
const NOTE = 'O cliente levou mais um pano.';

const resolve = (id: string, options: CallOptions = {}) =>
  app.call(`/api/payments/${id}/resolve`, { body: { note: NOTE }, ...options });
const read = (id: string) => app.call(`/api/payments/${id}`);
const readEvents = async (id: string): Promise<any[]> =>
  (await app.call(`/api/payments/${id}/events`)).json.data.filter(({ type }: any) => type === 'payment.resolved');
const countOf = async (kind: string): Promise<number> =>
  (await app.call('/api/summary')).json.attention.find((each: any) => each.kind === kind)?.count ?? 0;

/** Creates a reference over 1 500,00 and pays it twice. */
async function createOverpaid(): Promise<any> {
  const made = await createPayable(app);
  await pay(app, made, { fault: 'twice' });
  return untilReceived(app, made.reference, 3000);
}

/** Creates a reference over 1 500,00 that has received 0,01. */
async function createShort(): Promise<any> {
  const made = await createPayable(app);
  await pay(app, made, { fault: 'wrong_amount', amount: '0.01' });
  return untilReceived(app, made.reference, 0.01);
}

describe('resolvePayment', () => {
  test('ends the attention, and records person, time and note in the history and the audit', async () => {
    const before = await countOf('overpaid');
    const { internalId } = await createOverpaid();
    expect(await countOf('overpaid')).toBe(before + 1);
    const cashier = await addMember(app, { merchantId, role: 'Cashier' });
    const reply = await resolve(internalId, { token: await cashier.token() });
    expect(reply.status, reply.text).toBe(200);
    const at = app.clock.now().toISOString();
    expect(reply.json).toMatchObject({ attention: null, standing: 'overpaid', resolvedAt: at, amountPaid: 3000 });
    expect((await read(internalId)).json).toEqual(reply.json);
    expect(await countOf('overpaid')).toBe(before);
    expect((await app.call('/api/payments?attention=overpaid')).text).not.toContain(internalId);
    const by = { kind: 'user', id: cashier.userId };
    expect(await readEvents(internalId)).toMatchObject([
      {
        occurredAt: at,
        details: { attention: 'overpaid', note: NOTE, by },
        actor: { ...by, name: 'Ana Neto' },
      },
    ]);
    const audit = (await app.call(`/api/merchants/${merchantId}/audit?action=payment.resolved`)).json.data;
    expect(audit[0]).toMatchObject({
      actor: by,
      target: internalId,
      changes: { attention: 'overpaid', note: 'changed' },
    });
  });

  test('lets newer odd money need attention again', async () => {
    const short = await createShort();
    expect((await resolve(short.internalId)).json).toMatchObject({ attention: null, standing: 'short_paid' });
    await notifyPprPayment(app, moneyFor(app, short, { amount: '0.02' }));
    expect((await read(short.internalId)).json).toMatchObject({ attention: 'amount_mismatch', resolvedAt: null });
    expect((await resolve(short.internalId)).status).toBe(200);
    expect(await readEvents(short.internalId)).toHaveLength(2);
  });

  test('returns the first answer for a repeated Idempotency-Key, and records one event', async () => {
    const { internalId } = await createOverpaid();
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await resolve(internalId, { headers });
    const second = await resolve(internalId, { headers });
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect(await readEvents(internalId)).toHaveLength(1);
  });

  test('accepts one of two concurrent requests', async () => {
    const { internalId } = await createOverpaid();
    const both = await Promise.all([resolve(internalId), resolve(internalId)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.json.code).toBe('nothing_to_resolve');
    expect(await readEvents(internalId)).toHaveLength(1);
  });

  test('with an If-Match leaves newer money unresolved in a race', async () => {
    for (let round = 0; round < 5; round++) {
      const short = await createShort();
      const headers = { 'If-Match': (await read(short.internalId)).headers.get('etag') ?? '' };
      const money = notifyPprPayment(app, moneyFor(app, short, { amount: '0.02' }));
      const { status } = await resolve(short.internalId, { headers });
      await money;
      expect([200, 412]).toContain(status);
      expect((await read(short.internalId)).json).toMatchObject({ amountPaid: 0.03, attention: 'amount_mismatch' });
    }
  });

  test('returns 412 for the ETag of an older version', async () => {
    const short = await createShort();
    const headers = { 'If-Match': (await read(short.internalId)).headers.get('etag') ?? '' };
    await notifyPprPayment(app, moneyFor(app, short, { amount: '0.02' }));
    expect((await resolve(short.internalId, { headers })).json).toMatchObject({ status: 412 });
    expect((await read(short.internalId)).json.attention).toBe('amount_mismatch');
  });

  test('returns 409 for a payment that needs no attention', async () => {
    const { internalId } = await createPaid(app);
    expect((await resolve(internalId)).json).toMatchObject({ status: 409, code: 'nothing_to_resolve' });
  });

  test.each([
    ['without a note', {}, '/note required'],
    ['for a blank note', { note: '   ' }, '/note too_short'],
    ['for a note of 501 characters', { note: 'x'.repeat(501) }, '/note too_long'],
    ['for a note of two lines', { note: 'a\nb' }, '/note invalid_format'],
  ])('returns 400 %s', async (_name, body, fault) => {
    const reply = await resolve(randomUUID(), { body });
    expect([reply.status, readFieldFaults(reply)]).toEqual([400, [fault]]);
  });

  test('returns 404 for the payment of another merchant', async () => {
    const { internalId } = await createOverpaid();
    const { token } = await app.addMerchant();
    expect((await resolve(internalId, { token })).status).toBe(404);
    expect((await read(internalId)).json.attention).toBe('overpaid');
  });

  test('returns 403 without the scope payments:write', async () => {
    const viewer = await addMember(app, { merchantId, role: 'Viewer' });
    expect((await resolve(randomUUID(), { token: await viewer.token() })).status).toBe(403);
  });
});

describe('the console', () => {
  test('resolves a payment with a note, and then shows person, time and note', async () => {
    const { internalId } = await createOverpaid();
    const member = await addMember(app, { merchantId });
    const owner = await enterConsole(app, member);
    const at = `/console/payments/${internalId}`;
    expect((await owner.open(at)).text).toContain('Marcar como resolvido');
    const lacking = await owner.act(at, 'resolve', { note: ' ' });
    expect([lacking.status, lacking.text.includes('resolve-note-error')]).toEqual([400, true]);
    const made = await owner.act(at, 'resolve', { note: `${NOTE}\r\nSem devolução.` });
    expect(made.headers.get('location')).toBe(`${at}?done=resolve`);
    const { text } = await owner.open(at);
    expect(text).toContain(`Resolvido por Ana Neto`);
    expect(text).toContain(`“${NOTE} Sem devolução.”`);
    expect(text).not.toContain('name="act" value="resolve"');
  });
});
