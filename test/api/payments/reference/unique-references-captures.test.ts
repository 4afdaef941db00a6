// uniqueReferences and captures: one may carry on its authorization's reference, and takes any other like every payment.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../../support/app.ts';
import { answerPush, authorization, capture } from '../../../support/authorizations.ts';
import { NOTIFY_ENV, SOMEBODY } from '../../../support/notify.ts';
import { webframe } from '../../../support/payments.ts';

let app: TestApp;
let merchant: Awaited<ReturnType<TestApp['addMerchant']>>;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
});
beforeEach(async () => {
  merchant = await app.addMerchant();
  await app.sql('update merchants set unique_references = true where id = $1', [merchant.merchantId]);
});

const post = (body: object, headers: Record<string, string> = {}) =>
  app.call('/api/payments', { body, token: merchant.token, headers });
const codeOf = ({ status, json }: Reply) => (status === 201 ? '201' : `${status} ${json.code}`);
const read = async (id: string) => (await app.call(`/api/payments/${id}`, { token: merchant.token })).json;

async function hold(reference: string): Promise<string> {
  const { status, json } = await post(authorization(SOMEBODY, { reference }));
  expect(status).toBe(201);
  await answerPush(app, json.id, 'approve');
  await until(async () => (await read(json.id)).status === 'Authorized', 'the money being reserved');
  return json.id;
}

test('another payment’s reference is in use: nothing is claimed, and the key stays free', async () => {
  const id = await hold('MINE');
  expect((await post(webframe({ reference: 'OTHER' }))).status).toBe(201);
  const headers = { 'idempotency-key': randomUUID() };
  expect(codeOf(await post(capture(id, { reference: 'OTHER' }), headers))).toBe('400 reference_in_use');
  expect(await read(id)).toMatchObject({ status: 'Authorized', operation: null });
  expect(codeOf(await post(capture(id, { reference: 'MINE' }), headers))).toBe('201');
});

test('a new one is taken by it, for good', async () => {
  const id = await hold('HELD');
  const taken = await post(capture(id, { reference: 'TAKEN' }));
  await until(async () => (await read(taken.json.id)).status === 'Paid', 'the capture being paid');
  for (const reference of ['HELD', 'TAKEN'])
    expect(codeOf(await post(webframe({ reference })))).toBe('400 reference_in_use');
});

test('of a capture and other payments of a new reference at once one is made', async () => {
  for (let nth = 0; nth < 5; nth++) {
    const [id, reference] = [await hold(`HELD-${nth}`), `NEW-${nth}`];
    const bodies = [capture(id, { reference }), webframe({ reference }), webframe({ reference })];
    const codes = (await Promise.all(bodies.map((body) => post(body)))).map(codeOf);
    expect(codes.toSorted()).toEqual(['201', '400 reference_in_use', '400 reference_in_use']);
    if (codes[0] !== '201') expect(await read(id)).toMatchObject({ status: 'Authorized', operation: null });
  }
});
