import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Reply, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { enterConsole } from '../../support/console.ts';
import { addMember } from '../../support/members.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { createReference, readFieldFaults } from '../../support/ppr.ts';

let app: TestApp;
let shop: CallbackFixture;
let own: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  shop = await openCallbackFixture(app);
  own = { ...app, call: shop.call };
});

const nameKeys = (searchKeys: unknown): Promise<Reply> =>
  shop.call(`/api/merchants/${shop.merchantId}`, { method: 'PUT', body: { searchKeys } });

/** Returns the merchant references of the payments that match the query. */
async function find(query: string): Promise<string[]> {
  const { status, text, json } = await shop.call(`/api/payments?${query}`);
  expect(status, text).toBe(200);
  expect(json.totalItems).toBe(json.data.length);
  return json.data.map(({ reference }: { reference: string }) => reference).toSorted();
}

const sell = (reference: string, custom: object) => create(own, webframe({ reference, metadata: { custom } }));

describe('the search by customMetadata', () => {
  test('requires that the merchant declares the key, and then finds older payments too', async () => {
    await sell('BEFORE', { order: 7, 'shop.id': 'A 1', other: true });
    const unnamed = await shop.call('/api/payments?customMetadata.order=7');
    expect([unnamed.status, readFieldFaults(unnamed)]).toEqual([
      400,
      ['/query/customMetadata/order search_key_not_named'],
    ]);
    const named = await nameKeys(['order', 'shop.id', 'gift']);
    expect([named.status, named.json.searchKeys]).toEqual([200, ['order', 'shop.id', 'gift']]);
    await sell('AFTER', { order: '7', gift: true });
    await sell('EXACT', { order: 7.0, 'shop.id': 'A' });
    await sell('OTHER', { order: 70, other: 7, deep: { order: 7 }, gift: null });
    // The digits are fixed, because random ones may contain the text of another search.
    const fields = { reference: '900000001', customMetadata: { order: 7 } };
    const { reference } = await createReference(app, fields, { token: shop.token });
    expect(await find('customMetadata.order=7')).toEqual([reference, 'AFTER', 'BEFORE', 'EXACT']);
    expect(await find('customMetadata[order]=7&customMetadata.shop.id=A+1')).toEqual(['BEFORE']);
    expect(await find('customMetadata.gift=true&paymentType=GPO')).toEqual(['AFTER']);
    expect(await find('customMetadata.gift=null')).toEqual([]);
    expect(await find(`customMetadata.order=${encodeURIComponent(`7','x`)}`)).toEqual([]);
  });

  test('filters the CSV list like the JSON list', async () => {
    await sell('CSV-1', { order: 'csv' });
    const headers = { accept: 'text/csv' };
    const file = await shop.call('/api/payments?customMetadata.order=csv', { headers });
    expect(file.text.split('\r\n').filter((line) => line.includes('CSV-1'))).toHaveLength(1);
    expect(file.text.trim().split('\r\n')).toHaveLength(2);
    const refused = await shop.call('/api/payments?customMetadata.never=1', { headers });
    expect(readFieldFaults(refused)).toEqual(['/query/customMetadata/never search_key_not_named']);
  });

  test('finds only the merchant’s own keys and payments', async () => {
    const other = await openCallbackFixture(app);
    const asked = () => other.call('/api/payments?customMetadata.order=7');
    expect((await asked()).status).toBe(400);
    const body = { searchKeys: ['order'] };
    await other.call(`/api/merchants/${other.merchantId}`, { method: 'PUT', body });
    expect((await asked()).json.totalItems).toBe(0);
  });

  test.each([
    [['a', 'b', 'c', 'd'], '/searchKeys too_big'],
    [['no spaces'], '/searchKeys/0 invalid_format'],
    [[7], '/searchKeys/0 invalid_type'],
    [{ order: true }, '/searchKeys invalid_type'],
  ])('returns 400 for the keys %o with the code %s', async (keys, fault) => {
    expect(readFieldFaults(await nameKeys(keys))).toEqual([fault]);
  });

  test('is no longer possible after the merchant removes the keys', async () => {
    expect((await nameKeys([])).status).toBe(200);
    expect((await shop.call('/api/payments?customMetadata.order=7')).status).toBe(400);
    const [row] = await app.sql(
      'select count(*)::int as terms from payments where merchant_id = $1 and search_terms is not null',
      [shop.merchantId],
    );
    expect(row.terms).toBe(0);
  });
});

test('the search by amount finds payments in kwanzas unless the query names another currency', async () => {
  await create(own, webframe({ reference: 'AOA', amount: 77.5 }));
  await create(own, webframe({ reference: 'USD', amount: 77.5, currency: 'USD' }));
  await create(own, webframe({ reference: 'NEAR', amount: 77.51 }));
  expect(await find('amount=77.5')).toEqual(['AOA']);
  expect(await find('amount=77.50&currency=USD')).toEqual(['USD']);
  expect(await find('currency=USD')).toEqual(['USD']);
});

test('the search by phone accepts every spelling', async () => {
  const phone = '923000077';
  await create(own, purchase(phone, { reference: 'PHONED' }));
  for (const written of [phone, `%2B244${phone}`, '923+000+077'])
    expect(await find(`phone=${written}`)).toEqual(['PHONED']);
  expect(await find('phone=923000078')).toEqual([]);
});

test('the search by `late` finds payments with late money', async () => {
  const late = await create(own, webframe({ reference: 'LATE' }));
  await app.sql('update payments set late = true where id = $1', [late.internalId]);
  await create(own, webframe({ reference: 'INTIME' }));
  expect(await find('late=true')).toEqual(['LATE']);
  expect(await find('late=true&reference=INTIME')).toEqual([]);
});

test('a `__proto__` in the query is an unknown parameter', async () => {
  const reply = await shop.call('/api/payments?__proto__.pageSize=1&__proto__[page]=9&constructor.x=1');
  expect(readFieldFaults(reply)).toEqual([
    '/query/__proto__ unknown_parameter',
    '/query/constructor unknown_parameter',
  ]);
});

test.each([
  ['amount=1.005', 'amount_precision'],
  ['amount=99999999', 'amount_out_of_range'],
])('the search by %s returns 400 with the code %s', async (query, code) => {
  const reply = await shop.call(`/api/payments?${query}`);
  expect([reply.status, readFieldFaults(reply)]).toEqual([400, [`/query/amount ${code}`]]);
});

describe('the search by text', () => {
  const search = (text: string) => find(`search=${encodeURIComponent(text)}`);

  test.each(['974610647', '974 610 647', '+244974610647'])('with %s finds a push by its phone', async (typed) => {
    const [known] = await find('reference=ASKED');
    if (!known) await create(own, purchase('974610647', { reference: 'ASKED' }));
    expect(await search(typed)).toContain('ASKED');
  });

  test('with nine digits finds a payment reference too', async () => {
    const { reference } = await createReference(app, { reference: '974610647' }, { token: shop.token });
    expect(await search('974610647')).toEqual([reference, 'ASKED']);
    expect(await search('974 610 647')).toEqual([reference, 'ASKED']);
  });

  test('with few digits finds payments by amount and by reference', async () => {
    await create(own, webframe({ reference: 'SUM', amount: 4321 }));
    await create(own, webframe({ reference: '4321', amount: 7 }));
    await create(own, webframe({ reference: 'DOLLARS', amount: 4321, currency: 'USD' }));
    expect(await search('4321')).toEqual(['4321', 'SUM']);
    expect(await search('4 321,00 Kz')).toEqual(['SUM']);
  });

  test('returns the same payments in the console', async () => {
    const owner = await enterConsole(app, await addMember(app, { merchantId: shop.merchantId }));
    for (const q of ['974610647', '974 610 647', '4321', 'SUM']) {
      const [expected] = await search(q);
      const { text } = await owner.open(`/console/payments?q=${encodeURIComponent(q)}`);
      expect(text).toContain(`<strong>${expected}</strong>`);
    }
  });

  test('returns no payment of another merchant', async () => {
    const other = await openCallbackFixture(app);
    expect((await other.call('/api/payments?search=974610647')).json.totalItems).toBe(0);
  });
});
