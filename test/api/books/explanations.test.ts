import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { addMoney, inOneTransaction, SETTLEMENTS, untilClosed, untilSettlements } from '../../support/books.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { readFieldFaults } from '../../support/ppr.ts';

let app: TestApp;
let fixture: CallbackFixture;
let other: CallbackFixture;
beforeAll(async () => {
  app = await startTestApp();
  other = await openCallbackFixture(app);
});
let id: string;

/** Each test has a closed settlement of 1 500,00 AOA less 10,00 of fees. */
beforeEach(async () => {
  fixture = await openCallbackFixture(app);
  await inOneTransaction(app, async (books) => {
    await addMoney(books, fixture, { at: '2026-02-10T10:00:00.000Z', minor: 100_000, feeMinor: 1_000 });
    await addMoney(books, fixture, { at: '2026-02-10T11:00:00.000Z', minor: 50_000 });
  });
  [{ id }] = (await untilClosed(app, fixture)) as [any];
});

const send = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  fixture.call(`${SETTLEMENTS}/${id}/${path}`, { body, headers });
const enter = (amount: number, more: object = {}) => send('credits', { amount, date: '2026-02-11', ...more });
const explain = (body: object, headers: Record<string, string> = {}) => send('explanation', body, headers);
const withdraw = () => fixture.call(`${SETTLEMENTS}/${id}/explanation`, { method: 'DELETE' });
const read = async () => (await fixture.call(`${SETTLEMENTS}/${id}`)).json;
const listIds = async (query: string) =>
  (await fixture.call(`${SETTLEMENTS}${query}`)).json.data.map((each: any) => each.id);
const audit = (action: string) =>
  app.sql('select target, changes from audit_entries where merchant_id = $1 and action = $2', [
    fixture.merchantId,
    action,
  ]);
const needsPerson = async () => {
  const { attention } = (await fixture.call('/api/summary')).json;
  return attention.some(({ kind }: any) => kind === 'settlement_differs');
};

describe('a fee of the bank', () => {
  test('reduces the expected credit, and is no part of the credited money', async () => {
    await enter(1340);
    const { status, json } = await enter(150, { kind: 'fee', reference: 'COM. MANUT.' });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      status: 'balanced',
      fees: 10,
      bankFees: 150,
      expectedCredit: 1340,
      credited: 1340,
      difference: 0,
      changedAfterClose: null,
      credits: [{ amount: 1340 }],
      bankFeeEntries: [{ amount: 150, bankReference: 'COM. MANUT.', source: 'hand' }],
    });
    expect(await audit('settlement.fee_entered')).toMatchObject([
      { target: id, changes: { bankFees: [{ amount: 150 }] } },
    ]);
    const [listed] = (await fixture.call(SETTLEMENTS)).json.data;
    expect(listed).toMatchObject({ status: 'balanced', bankFees: 150, expectedCredit: 1340 });
    const csv = await fixture.call(`${SETTLEMENTS}.csv?dialect=rfc4180`, { headers: { 'accept-language': 'en' } });
    expect(csv.text).toMatch(/Bank fees.*\r\n.*,150\.00,/);
  });

  test('without a credit leaves the settlement open', async () => {
    expect((await enter(150, { kind: 'fee' })).json).toMatchObject({ status: 'open', bankFees: 150, credited: 0 });
  });

  test('returns 400 if it is negative, or comes with a file', async () => {
    const negative = await enter(-150, { kind: 'fee' });
    expect([negative.status, readFieldFaults(negative)]).toEqual([400, ['/amount invalid_fee']]);
    const file = Buffer.from('11/02/2026;1,00;x').toString('base64');
    const withFile = await send('credits', { kind: 'fee', file });
    expect([withFile.status, readFieldFaults(withFile)]).toEqual([400, ['/kind invalid_value']]);
    expect((await read()).bankFees).toBe(0);
  });
});

describe('POST /api/settlements/{settlementId}/credits/{creditId}/reversal', () => {
  test('takes back a credit by a linked entry, and reopens the settlement', async () => {
    const [wrong] = (await enter(1400)).json.credits;
    const { status, json } = await send(`credits/${wrong.id}/reversal`);
    expect([status, json.status, json.credited]).toEqual([201, 'open', 0]);
    const [first, second] = json.credits;
    expect(first).toMatchObject({ id: wrong.id, reversedBy: second.id, reverses: null });
    expect(second).toMatchObject({ amount: -1400, reverses: wrong.id, reversedBy: null });
    expect(await audit('settlement.entry_reversed')).toMatchObject([
      { target: id, changes: { entry: 'credit', amount: 1400 } },
    ]);
    expect((await enter(1490)).json).toMatchObject({ status: 'balanced', credited: 1490 });
  });

  test('takes back a fee', async () => {
    const [fee] = (await enter(150, { kind: 'fee' })).json.bankFeeEntries;
    const { json } = await send(`credits/${fee.id}/reversal`);
    expect(json).toMatchObject({ bankFees: 0, expectedCredit: 1490, credits: [] });
    expect(json.bankFeeEntries).toMatchObject([{ amount: 150 }, { amount: -150, reverses: fee.id }]);
  });

  test('frees the line of a bank’s file', async () => {
    const file = Buffer.from('11/02/2026;1.490,00;TRF').toString('base64');
    const [line] = (await send('credits', { file })).json.credits;
    expect((await send('credits', { file })).json.code).toBe('bank_file_known');
    expect((await send(`credits/${line.id}/reversal`)).json.credits).toMatchObject([
      { source: 'file' },
      { source: 'file', amount: -1490 },
    ]);
    expect((await send('credits', { file })).json).toMatchObject({ status: 'balanced', credited: 1490 });
  });

  test('returns 409 for a reversed entry and for a reversal, and 404 for an entry of another settlement', async () => {
    const [wrong] = (await enter(1)).json.credits;
    const [, reversal] = (await send(`credits/${wrong.id}/reversal`)).json.credits;
    for (const entry of [wrong, reversal])
      expect(await send(`credits/${entry.id}/reversal`)).toMatchObject({
        status: 409,
        json: { code: 'credit_not_reversible' },
      });
    for (const unknown of [randomUUID(), 'x']) expect((await send(`credits/${unknown}/reversal`)).status).toBe(404);
    const foreign = await other.call(`${SETTLEMENTS}/${id}/credits/${wrong.id}/reversal`, { body: {} });
    expect(foreign.status).toBe(404);
    expect((await read()).credits).toHaveLength(2);
  });
});

describe('POST /api/settlements/{settlementId}/explanation', () => {
  test('sets the difference aside, with an audit entry', async () => {
    await enter(990);
    expect(await needsPerson()).toBe(true);
    const { status, json } = await explain({ reason: 'next_period', note: 'Vem com o dia 11', difference: -500 });
    expect([status, json.status, json.reasons]).toEqual([200, 'explained', []]);
    expect(json.explanation).toEqual({
      reason: 'next_period',
      note: 'Vem com o dia 11',
      difference: -500,
      holds: true,
      explainedBy: expect.any(String),
      explainedAt: app.clock.now().toISOString(),
    });
    expect(await needsPerson()).toBe(false);
    expect(await listIds('?status=explained')).toEqual([id]);
    expect(await listIds('?status=differs')).toEqual([]);
    expect((await fixture.call(SETTLEMENTS)).json.data[0].explanation).toEqual(json.explanation);
    expect(await audit('settlement.explained')).toMatchObject([
      { target: id, changes: { explanation: 'next_period', difference: -500, note: 'changed' } },
    ]);
  });

  test('holds for exactly this difference', async () => {
    await enter(990);
    await explain({ reason: 'bank' });
    const [, second] = (await enter(100)).json.credits;
    expect(await read()).toMatchObject({ status: 'differs', explanation: { holds: false, difference: -500 } });
    expect(await needsPerson()).toBe(true);
    await send(`credits/${second.id}/reversal`);
    expect((await read()).status).toBe('explained');
    const recordedAt = app.clock.now().toISOString();
    await addMoney(app, fixture, { at: '2026-02-10T12:00:00.000Z', minor: 100, recordedAt });
    expect((await read()).status).toBe('differs');
    await untilSettlements(app, fixture, ([own]) => own.status === 'differs', 'the late money in the list');
    expect((await explain({ reason: 'rail', difference: -501 })).json).toMatchObject({
      status: 'explained',
      explanation: { reason: 'rail', difference: -501 },
    });
  });

  test('returns 409 without a difference, and for another difference than the current one', async () => {
    const refused = async (body: object) => {
      const { status, json } = await explain(body);
      return [status, json.code];
    };
    expect(await refused({ reason: 'bank' })).toEqual([409, 'no_difference']);
    await enter(990);
    expect(await refused({ reason: 'bank', difference: 500 })).toEqual([409, 'difference_changed']);
    expect((await read()).explanation).toBeNull();
    await explain({ reason: 'bank' });
    expect(await refused({ reason: 'other', note: 'x' })).toEqual([409, 'no_difference']);
    await enter(500);
    expect(await refused({ reason: 'bank' })).toEqual([409, 'no_difference']);
    await addMoney(app, fixture);
    const open = (await fixture.call(SETTLEMENTS)).json.data.find(({ closedAt }: any) => !closedAt);
    const early = await fixture.call(`${SETTLEMENTS}/${open.id}/explanation`, { body: { reason: 'bank' } });
    expect([early.status, early.json.code]).toEqual([409, 'no_difference']);
  });

  test('explains once for a repeated Idempotency-Key', async () => {
    await enter(990);
    const headers = { 'idempotency-key': randomUUID() };
    const [one, again] = [await explain({ reason: 'bank' }, headers), await explain({ reason: 'bank' }, headers)];
    expect([again.status, again.text]).toEqual([200, one.text]);
    expect(await audit('settlement.explained')).toHaveLength(1);
  });

  test('returns 400 for invalid bodies, and 404 for a settlement of another merchant', async () => {
    await enter(990);
    const cases: [body: object, faults: string[]][] = [
      [{}, ['/reason required']],
      [{ reason: 'bank_fee' }, ['/reason invalid_value']],
      [{ reason: 'other' }, ['/note required']],
      [{ reason: 'other', note: 'x'.repeat(501) }, ['/note too_long']],
      [{ reason: 'bank', difference: '-500' }, ['/difference invalid_type']],
    ];
    for (const [body, faults] of cases) {
      const reply = await explain(body);
      expect([reply.status, readFieldFaults(reply)]).toEqual([400, faults]);
    }
    for (const path of [`${id}/explanation`, `${randomUUID()}/explanation`, 'x/explanation'])
      expect((await other.call(`${SETTLEMENTS}/${path}`, { body: { reason: 'bank' } })).status).toBe(404);
    expect((await read()).status).toBe('differs');
  });
});

describe('DELETE /api/settlements/{settlementId}/explanation', () => {
  test('makes the settlement differ again, and changes nothing if it is repeated', async () => {
    await enter(990);
    await explain({ reason: 'bank' });
    expect((await other.call(`${SETTLEMENTS}/${id}/explanation`, { method: 'DELETE' })).status).toBe(404);
    expect((await read()).status).toBe('explained');
    for (const _time of [1, 2]) expect((await withdraw()).status).toBe(204);
    expect(await read()).toMatchObject({ status: 'differs', explanation: null });
    expect(await needsPerson()).toBe(true);
    expect(await audit('settlement.explanation_withdrawn')).toHaveLength(1);
  });
});
