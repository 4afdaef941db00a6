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

/** Repeats the request. The response has the status of the first and the references in their current state. Nothing is new. */
async function expectReplay(first: Reply, repeat: () => Promise<Reply>): Promise<void> {
  const reply = await leavesNothing(app, repeat);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([first.status, first.headers.get('content-type')]);
  expect(isReplay(reply)).toBe(true);
  expect(madeOf(reply)).toEqual(await Promise.all(madeOf(first).map(readNow)));
}

/** Reads what a creation returned, in its current state. A payment by reference keeps the `id` of its creation. */
async function readNow({ id, internalId, paymentMethod }: any): Promise<object> {
  if (paymentMethod) return { ...(await app.call(`/api/payments/${internalId}`)).json, id };
  const { data } = (await app.call(`${PPR}?pageSize=100`)).json;
  return data.find((listed: any) => listed.internalId === internalId);
}

const madeOf = ({ json }: Reply): any[] => json.data ?? [json];

/** Waits until the rail knows every reference, so that no background work writes. */
async function settle(reply: Reply): Promise<void> {
  for (const { reference } of madeOf(reply)) {
    await app.call(`/api/payments/${reference}/sync`, { method: 'POST' });
    await untilRegistered(app, reference);
  }
}

const untilSteps = (reference: string, wanted: string[]) =>
  untilReference(
    app,
    reference,
    () => readSteps(app, reference).then((steps) => wanted.every((type) => steps.includes(type))),
    wanted.join(', '),
  );

const bulkOf = (fields: object = {}) => ({ references: [1, 2, 3].map((amount) => ({ amount, ...fields })) });

describe.each<[name: string, path: string, write: (fields?: object) => object, count: number]>([
  ['POST /api/references/ppr', PPR, (fields) => reference({ ...fields }), 1],
  ['POST /api/references/ppr/legacy', `${PPR}/legacy`, (fields) => reference({ ...fields }), 1],
  ['POST /api/payments with PPR', '/api/payments', (fields) => byReference({ ...fields }), 1],
  ['POST /api/references/ppr/bulk', `${PPR}/bulk`, bulkOf, 3],
])('%s', (name, path, write, count) => {
  const keyOf = (use: string) => `${name} ${use}`.replaceAll(/\W/g, '-');

  test('repeats its response with the references in their current state and does not store the client token', async () => {
    const body = write({ customMetadata: { n: 1 } });
    const send = () => post(path, body, keyOf('same'));
    const first = await send();
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    expect(madeOf(first)).toHaveLength(count);
    await settle(first);
    for (const table of ['idempotency_keys', 'payments', 'payment_references', 'events']) {
      const text = JSON.stringify(await app.sql(`select t::text as text from ${table} t`));
      for (const { clientToken } of madeOf(first)) expect(text.includes(clientToken), table).toBe(false);
    }
    await app.clock.pass(60_000);
    await expectReplay(first, send);
    for (const { reference, clientToken } of madeOf(first)) {
      expect((await cancel(app, reference)).status).toBe(200);
      expect((await app.call(`/checkout/${clientToken}/session`, { token: null })).json.reference).toBe(reference);
      await untilSteps(reference, ['reference.canceled', 'reference.withdrawn']);
    }
    await expectReplay(first, send);
  });

  test('repeats its response although the same request would be refused now', async () => {
    const expiryDate = new Date(app.clock.now().getTime() + 30_000).toISOString();
    const { merchantId, token } = await app.addMerchant({ entity: '00774' });
    const body = write({ expiryDate });
    const first = await post(path, body, keyOf('gone'), token);
    expect(first.status).toBe(201);
    const open = 'select from payment_references where payment_id = any($1) and withdrawn_at is null';
    const ids = madeOf(first).map(({ internalId }) => internalId);
    await travelUntil(app, async () => (await app.sql(open, [ids])).length === 0, 'their end');
    // At this time expiryDate has passed and the merchant has no entity.
    await app.sql('update merchants set entity = null where id = $1', [merchantId]);
    await app.clock.advance(10_000);
    const again = await post(path, body, keyOf('gone'), token);
    expect([again.status, isReplay(again)]).toEqual([201, true]);
    expect(madeOf(again).map(({ status }) => status)).toEqual(madeOf(first).map(() => 'Expired'));
    expect((await post(path, body, keyOf('fresh'), token)).status).toBe(400);
  });

  test('does not store the key of a 400, and returns 422 for another body after a success', async () => {
    const refused = await leavesNothing(app, () => post(path, write({ description: 5 }), keyOf('free')));
    expect(refused.status).toBe(400);
    const made = await post(path, write(), keyOf('free'));
    expect([made.status, isReplay(made)]).toEqual([201, false]);
    await settle(made);
    const other = await leavesNothing(app, () => post(path, write({ description: 'x' }), keyOf('free')));
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  });
});

test('a repeated response contains no client token of another payment named in the request', async () => {
  const other = await createReference(app, { amount: 9 });
  const trick = `<clientToken of ${other.internalId}>`;
  const body = bulkOf({
    description: trick,
    customMetadata: { internalId: other.internalId, data: [other], [trick]: trick },
  });
  const first = await post(`${PPR}/bulk`, body, 'trick');
  expect(first.status).toBe(201);
  await untilRegistered(app, other.reference);
  await settle(first);
  await expectReplay(first, () => post(`${PPR}/bulk`, body, 'trick'));
  expect(madeOf(first).every((made) => made.description === trick)).toBe(true);
});

test('own digits in a second creation return the first reference, or reference_in_use for another key', async () => {
  const body = reference({ reference: digits() });
  const first = await post(PPR, body, 'defined');
  await settle(first);
  await expectReplay(first, () => post(PPR, body, 'defined'));
  expect((await post(PPR, body, 'defined-other')).json.code).toBe('reference_in_use');
  expect((await post(`${PPR}/legacy`, body, 'defined')).json.code).toBe('idempotency_key_reused');
});

test('a repeated cancel shows the same reference, even if a newer one has the same digits', async () => {
  const made = await createPayable(app, { reference: digits() });
  const headers = { 'idempotency-key': 'cancel-1' };
  const first = await cancel(app, made.reference, headers);
  expect([first.status, first.json.clientToken]).toEqual([200, made.clientToken]);
  await untilSteps(made.reference, ['reference.withdrawn']);
  await expectReplay(first, () => cancel(app, made.reference, headers));
  await createPayable(app, { reference: made.reference });
  await expectReplay(first, () => cancel(app, made.reference, headers));
  const [{ row }] = await app.sql(`select k::text as row from idempotency_keys k where key = 'cancel-1'`);
  expect(row).not.toContain(made.clientToken);
});

test('a refused cancel does not store its Idempotency-Key', async () => {
  const made = await createPayable(app);
  await pay(app, made);
  await untilReceived(app, made.reference, 1500);
  await untilSteps(made.reference, ['reference.withdrawn']);
  const headers = { 'idempotency-key': 'cancel-2' };
  expect((await leavesNothing(app, () => cancel(app, made.reference, headers))).status).toBe(409);
  const other = await createPayable(app);
  expect((await cancel(app, other.reference, headers)).status).toBe(200);
  expect((await cancel(app, made.reference, headers)).json.code).toBe('idempotency_key_reused');
});
