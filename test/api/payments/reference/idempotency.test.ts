// Idempotency-Key on references: replays byte for byte with their client tokens, which are kept nowhere; refusals leave the key free.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../../support/app.ts';
import { travelUntil } from '../../../support/payments.ts';
import {
  byReference,
  cancel,
  createPayable,
  createReference,
  digits,
  pay,
  PPR,
  readSteps,
  reference,
  untilReceived,
  untilReference,
  untilRegistered,
} from '../../../support/ppr.ts';
import { leavesNothing } from '../../../support/rows.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const post = (path: string, body: unknown, key: string, token?: string): Promise<Reply> =>
  app.call(path, { body, headers: { 'idempotency-key': key }, ...(token && { token }) });

const isReplay = (reply: Reply) => reply.headers.get('idempotency-replayed') === 'true';

/** The very answer of the first request again, and nothing written for it. */
async function expectReplay(first: Reply, again: () => Promise<Reply>): Promise<void> {
  const reply = await leavesNothing(app, again);
  expect([reply.status, reply.text]).toEqual([first.status, first.text]);
  expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(isReplay(reply)).toBe(true);
}

const WAYS: [name: string, path: string, write: (fields?: object) => object, count: number][] = [
  ['one reference', PPR, (fields) => reference({ ...fields }), 1],
  ['a legacy one', `${PPR}/legacy`, (fields) => reference({ ...fields }), 1],
  ['a payment', '/api/payments', (fields) => byReference({ ...fields }), 1],
  ['a bulk', `${PPR}/bulk`, (fields) => ({ references: [1, 2, 3].map((amount) => ({ amount, ...fields })) }), 3],
];

const madeOf = ({ json }: Reply): any[] => json.data ?? [json];
/** The rail has heard of all of it, so that nothing is written in the background any more. */
async function settle(reply: Reply, token?: string): Promise<void> {
  for (const { reference } of madeOf(reply)) {
    await app.call(`/api/payments/${reference}/sync`, { method: 'POST', ...(token && { token }) });
    await untilRegistered(app, reference, token);
  }
}

describe.each(WAYS)('%s', (name, path, write, count) => {
  const keyOf = (what: string) => `${name} ${what}`.replaceAll(' ', '-');

  test('again is answered byte for byte, generated digits and tokens too, and makes nothing', async () => {
    const body = write({ customMetadata: { n: 1 } });
    const first = await post(path, body, keyOf('same'));
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    expect(madeOf(first)).toHaveLength(count);
    await settle(first);
    await app.clock.pass(60_000);
    await expectReplay(first, () => post(path, body, keyOf('same')));
    for (const { reference, clientToken } of madeOf(first)) {
      expect((await cancel(app, reference)).status).toBe(200);
      expect((await app.call(`/checkout/${clientToken}/session`, { token: null })).json.reference).toBe(reference);
    }
    for (const { reference } of madeOf(first))
      await untilSteps(reference, ['reference.canceled', 'reference.withdrawn']);
    await expectReplay(first, () => post(path, body, keyOf('same')));
  });

  test('its client tokens are in no column of the database', async () => {
    const first = await post(path, write(), keyOf('hidden'));
    await settle(first);
    for (const table of ['idempotency_keys', 'payments', 'payment_references', 'events']) {
      const rows = await app.sql(`select t::text as text from ${table} t`);
      const text = rows.map((row) => row.text).join('\n');
      for (const { clientToken } of madeOf(first)) expect(text.includes(clientToken), table).toBe(false);
    }
    const [{ body }] = await app.sql('select body from idempotency_keys where key = $1', [keyOf('hidden')]);
    for (const { internalId } of madeOf(first)) expect(body).toContain(internalId);
  });

  test('with another body is 422; of another merchant it is another key', async () => {
    const first = await post(path, write(), keyOf('other'));
    await settle(first);
    const reply = await leavesNothing(app, () => post(path, write({ description: 'x' }), keyOf('other')));
    expect([reply.status, reply.json.code]).toEqual([422, 'idempotency_key_reused']);
    const { token } = await app.addMerchant({ entity: '00775' });
    const theirs = await post(path, write(), keyOf('other'), token);
    expect([theirs.status, isReplay(theirs)]).toEqual([201, false]);
    expect(madeOf(theirs)[0].internalId).not.toBe(madeOf(first)[0].internalId);
    await settle(theirs, token);
  });

  test('a refusal leaves the key free', async () => {
    const refused = await leavesNothing(app, () => post(path, write({ description: 5 }), keyOf('free')));
    expect(refused.status).toBe(400);
    const taken = await leavesNothing(app, () => post(path, write({ expiryDate: '2020-01-01' }), keyOf('free')));
    expect(taken.status).toBe(400);
    const made = await post(path, write(), keyOf('free'));
    expect([made.status, isReplay(made)]).toEqual([201, false]);
    await settle(made);
  });

  test('again, when it would be refused by now, is answered as it was', async () => {
    const expiryDate = new Date(app.clock.now().getTime() + 30_000).toISOString();
    const { merchantId, token } = await app.addMerchant({ entity: '00774' });
    const body = write({ expiryDate });
    const first = await post(path, body, keyOf('gone'), token);
    expect(first.status).toBe(201);
    const ids = madeOf(first).map(({ internalId }) => internalId);
    await travelUntil(
      app,
      async () => {
        const open = 'select from payment_references where payment_id = any($1) and withdrawn_at is null';
        return (await app.sql(open, [ids])).length === 0;
      },
      'their end',
    );
    // The end is in the past, and the merchant has lost its entity.
    await app.sql('update merchants set entity = null where id = $1', [merchantId]);
    await app.clock.advance(10_000);
    const again = await post(path, body, keyOf('gone'), token);
    expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
    const fresh = await post(path, body, keyOf('fresh'), token);
    expect(fresh.status).toBe(400);
  });

  test('whoever writes another payment’s id where its token was hidden gets no token for it', async () => {
    const other = await createReference(app, { amount: 9 });
    const trick = `<clientToken of ${other.internalId}>`;
    const fields = {
      description: trick,
      customMetadata: { internalId: other.internalId, data: [other], [trick]: trick },
    };
    const own = path === '/api/payments' ? { ...fields, custom: fields.customMetadata } : fields;
    const { customMetadata, ...rest } = own;
    const body = write(path === '/api/payments' ? rest : { ...rest, customMetadata });
    const first = await post(path, body, keyOf('trick'));
    expect(first.status).toBe(201);
    await untilRegistered(app, other.reference);
    await settle(first);
    await expectReplay(first, () => post(path, body, keyOf('trick')));
    expect(madeOf(first).every((made) => made.description === trick)).toBe(true);
  });
});

/** All of these are in its history. */
const untilSteps = (reference: string, wanted: string[]) =>
  untilReference(
    app,
    reference,
    () => readSteps(app, reference).then((steps) => wanted.every((type) => steps.includes(type))),
    wanted.join(', '),
  );

test('digits that are defined: the second request gets the first one’s answer, not reference_in_use', async () => {
  const body = reference({ reference: digits() });
  const first = await post(PPR, body, 'defined');
  await settle(first);
  await expectReplay(first, () => post(PPR, body, 'defined'));
  expect((await post(PPR, body, 'defined-other')).json.code).toBe('reference_in_use');
});

test('the same key for another endpoint is another request', async () => {
  const body = reference();
  const first = await post(PPR, body, 'endpoints');
  await settle(first);
  expect((await post(`${PPR}/legacy`, body, 'endpoints')).json.code).toBe('idempotency_key_reused');
});

test('twenty bulks at once make one', async () => {
  const body = { references: Array.from({ length: 5 }, () => ({ amount: 1, description: 'twenty' })) };
  const replies = await Promise.all(Array.from({ length: 20 }, () => post(`${PPR}/bulk`, body, 'twenty')));
  // Whoever came while the first was being written is told so.
  const answers = replies.filter(({ status }) => status !== 409);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);
  expect(await app.sql(`select from payments where description = 'twenty'`)).toHaveLength(5);
});

describe('a cancel', () => {
  test('again is answered as it was, also when the digits are another reference’s by now', async () => {
    const made = await createPayable(app, { reference: digits() });
    const headers = { 'idempotency-key': 'cancel-1' };
    const first = await cancel(app, made.reference, headers);
    expect([first.status, first.json.clientToken]).toEqual([200, made.clientToken]);
    await untilSteps(made.reference, ['reference.withdrawn']);
    await expectReplay(first, () => cancel(app, made.reference, headers));
    await createPayable(app, { reference: made.reference });
    await expectReplay(first, () => cancel(app, made.reference, headers));
    const [{ body }] = await app.sql(`select body from idempotency_keys where key = 'cancel-1'`);
    expect(body).not.toContain(made.clientToken);
  });

  test('that was refused leaves its key free', async () => {
    const made = await createPayable(app);
    await pay(app, made);
    await untilReceived(app, made.reference, 1500);
    await untilSteps(made.reference, ['reference.withdrawn']);
    const headers = { 'idempotency-key': 'cancel-2' };
    expect((await leavesNothing(app, () => cancel(app, made.reference, headers))).status).toBe(409);
    const other = await createPayable(app);
    expect((await cancel(app, other.reference, headers)).status).toBe(200);
    const reply = await cancel(app, made.reference, headers);
    expect([reply.status, reply.json.code]).toEqual([422, 'idempotency_key_reused']);
  });
});
