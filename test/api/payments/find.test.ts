// The search for parts of anything that a payment has, in a shop with few and with many payments.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { indexFreshWords } from '../../../server/payments/search-index.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, type CallbackFixture } from '../../support/callbacks.ts';
import { createLink, useLink } from '../../support/links.ts';
import { addMember } from '../../support/members.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { createReference, readFieldFaults } from '../../support/ppr.ts';

/** More payments than the search reads one by one. */
const MANY = 4_100;

const NAMES = ['Conceição Tchipalavela', 'João Bento', 'Ana Luísa Quissanga', 'Domingos António'];

type Known = { id: string; texts: string[]; amounts: string[] };

let app: TestApp;
let shop: CallbackFixture;
let own: TestApp;
const known: Known[] = [];

beforeAll(async () => {
  app = await startTestApp();
  shop = await openCallbackFixture(app);
  own = { ...app, call: shop.call };
  await shop.call(`/api/merchants/${shop.merchantId}`, { method: 'PUT', body: { searchKeys: ['turma'] } });
  for (const [nth, name] of NAMES.entries()) {
    const phone = `92${7_123_456 + nth * 97_531}`;
    const push = await create(own, purchase(phone, { reference: `9ENC-${nth}X7`, amount: 1500.5 + nth }));
    known.push({ id: push.internalId, texts: [`9ENC-${nth}X7`, phone], amounts: [`${1500 + nth},50`] });
    const metadata = { description: `Propina de ${name}`, custom: { turma: `Sala-${nth}B`, other: 'hidden' } };
    const page = await create(own, webframe({ reference: `WEB.${nth}`, amount: 12_000 + nth, metadata }));
    known.push({
      id: page.internalId,
      texts: [...name.split(' '), `WEB.${nth}`, 'Propina', `Sala-${nth}B`],
      amounts: [`12.00${nth}`, `12 00${nth},00`, `12.00${nth},00 Kz`, `1200${nth}.0`],
    });
    const customer = {
      customerName: name,
      customerTelephone: `93${1_234_567 + nth * 13}`,
      customerEmail: `a${nth}@b.ao`,
    };
    const made = await createReference(app, { amount: 700 + nth, ...customer }, { token: shop.token });
    known.push({
      id: (await app.sql('select payment_id from payment_references where reference = $1', [made.reference]))[0]
        .payment_id,
      texts: [...name.split(' '), made.reference, customer.customerTelephone, customer.customerEmail],
      amounts: [`${700 + nth}`],
    });
  }
  const sold = await sell(app, shop, { amount: 333 });
  const [money] = await app.sql(
    `select t.payment_id, t.provider_ref, t.details ->> 'transactionNumber' as number from transactions t
     join payments p on p.id = t.payment_id where p.reference = $1`,
    [sold.reference],
  );
  known.push({ id: money.payment_id, texts: [money.provider_ref, money.number].filter(Boolean), amounts: ['333,00'] });
});

const search = async (text: string, query = ''): Promise<any> => {
  const {
    status,
    json,
    text: body,
  } = await shop.call(`/api/payments?pageSize=100&search=${encodeURIComponent(text)}${query}`);
  expect(status, body).toBe(200);
  return json;
};

const idsOf = ({ data }: { data: { internalId: string }[] }) => data.map(({ internalId }) => internalId);

/** Any part of at least three characters, written in any case and without its accents. */
const part = fc
  .tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat(), fc.constantFrom('as it is', 'upper', 'plain'))
  .map(([which, text, start, length, spelling]) => {
    const payment = known[which % known.length]!;
    const whole = payment.texts[text % payment.texts.length]!;
    const from = start % Math.max(1, whole.length - 2);
    const cut = whole.slice(from, from + 3 + (length % whole.length));
    const plain = cut.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
    return { id: payment.id, typed: spelling === 'upper' ? cut.toUpperCase() : spelling === 'plain' ? plain : cut };
  });

async function expectFound(): Promise<void> {
  await fc.assert(
    fc.asyncProperty(part, async ({ id, typed }) => {
      expect(idsOf(await search(typed)), typed).toContain(id);
    }),
    { numRuns: 40 },
  );
  for (const { id, amounts } of known) {
    expect(idsOf(await search(id))).toEqual([id]);
    expect(idsOf(await search(id.slice(0, 20)))).toContain(id);
    expect(idsOf(await search(id.slice(0, 8)))).toContain(id);
    for (const amount of amounts) expect(idsOf(await search(amount)), amount).toContain(id);
  }
}

describe('the search of payments', () => {
  test('finds each payment by any part of its texts, by its amount and by its id', expectFound);

  test('finds payments by a phone number in any spelling and by its last digits', async () => {
    const { id, texts } = known[0]!;
    const phone = texts[1]!;
    const spaced = phone.replace(/(\d{3})(?=\d)/g, '$1 ');
    for (const typed of [spaced, `+244 ${spaced}`, `00244${phone}`, `244${phone}`, phone.slice(-4), spaced.slice(-5)])
      expect(idsOf(await search(typed)), typed).toContain(id);
  });

  test('finds payments of a link by its title and by what the payer filled in', async () => {
    const link = await createLink(own, { title: 'Jantar de Gala', asks: ['name'] });
    const { id } = await useLink(app, link, { name: 'Zeferina' });
    expect(idsOf(await search('gala'))).toEqual([id]);
    expect(idsOf(await search('zefer'))).toEqual([id]);
  });

  test('finds only payments with every word of the text', async () => {
    expect((await search('propina bento')).totalItems).toBe(1);
    expect((await search('propina inexistente')).totalItems).toBe(0);
  });

  test('finds nothing by a key that is not searchable, or by % and _', async () => {
    for (const typed of ['hidden', '%', '___', '%%%', `a' or 'b`, '\\'])
      expect((await search(typed)).totalItems).toBe(0);
  });

  test('forgets the words of an erased payer', async () => {
    await create(own, webframe({ reference: 'ERASE', metadata: { description: 'De Ngunza, 925000111' } }));
    expect((await search('ngunza')).totalItems).toBe(1);
    await app.sql(`update payments set description = null where reference = 'ERASE'`);
    expect((await search('ngunza')).totalItems).toBe(0);
    expect((await search('erase')).totalItems).toBe(1);
  });

  test('returns no payment of another merchant', async () => {
    const other = await openCallbackFixture(app);
    for (const { texts } of known)
      for (const text of texts)
        expect((await other.call(`/api/payments?search=${encodeURIComponent(text)}`)).json.totalItems, text).toBe(0);
  });
});

describe('the search of many payments', () => {
  beforeAll(async () => {
    await app.sql(
      `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
        revision, description, amount_paid_minor, created_at)
      select gen_random_uuid(), $1, 'Q' || n, 77, 'AOA', 'GPO', 'webframe', 'Paid', 1,
        case when n % 2 = 0 then 'Zzyzx' else 'Wwkww' end, 77, $2::timestamptz + make_interval(secs => n / 1000.0)
      from generate_series(1, ${MANY}) n`,
      [shop.merchantId, app.clock.now()],
    );
    await app.clock.advance(10_000);
  });

  test('finds each payment before and after its words are indexed', async () => {
    await expectFound();
    await indexFreshWords(app.node.core);
    expect(await app.sql('select from payment_search where not is_indexed')).toEqual([]);
    await expectFound();
  });

  test('says of a frequent word that there are more payments than it counts, and pages through all of them', async () => {
    const first = await search('zzyzx');
    expect(first).toMatchObject({ isTotalExact: false, data: { length: 100 } });
    const seen = new Set(idsOf(first));
    for (let { next } = first; next;) {
      const page = await search('zzyzx', `&after=${next}`);
      for (const id of idsOf(page)) seen.add(id);
      next = page.next;
    }
    expect(seen.size).toBe(MANY / 2);
  });

  test('combines the text with the other filters', async () => {
    expect((await search('propina', '&status=Pending')).totalItems).toBe(NAMES.length);
    expect((await search('propina', '&status=Paid')).totalItems).toBe(0);
    expect((await search('propina', '&paymentMethod=qrcode')).totalItems).toBe(0);
    expect((await search('zzyzx', '&paymentMethod=qrcode')).totalItems).toBe(0);
  });

  test('exports exactly the payments that it finds', async () => {
    for (const [typed, rows] of [
      ['propina', NAMES.length],
      ['zzyzx', MANY / 2],
    ] as const) {
      const { text } = await shop.call(`/api/payments?search=${typed}`, { headers: { accept: 'text/csv' } });
      expect(text.trim().split('\r\n').length - 1).toBe(rows);
    }
  });
});

describe('the filters of the list', () => {
  test('finds payments of links, of a method, and of both', async () => {
    const count = async (query: string) => (await shop.call(`/api/payments?${query}`)).json.totalItems;
    expect(await count('link=true')).toBe(1);
    expect(await count('paymentMethod=reference')).toBe(NAMES.length + 1);
    expect(await count('paymentMethod=reference&link=true')).toBe(0);
    expect(await count('paymentMethod=onetimepurchase&link=false')).toBe(NAMES.length);
  });

  test('finds the payments that a person charged, and names the people and API clients', async () => {
    const cashier = await addMember(app, { merchantId: shop.merchantId, role: 'Cashier' });
    const token = await cashier.token();
    const charged = await app.call('/api/payments', { token, body: webframe({ reference: 'TILL' }) });
    expect(charged.json).toMatchObject({ createdBy: cashier.userId, createdByClient: null });
    const byClient = await create(own, webframe({ reference: 'SHOP' }));
    expect(byClient).toMatchObject({ createdBy: null, createdByClient: expect.any(String) });
    const made = { amount: 5, currency: 'AOA', referenceType: 'Dynamic' };
    await app.call('/api/references/ppr', { token, body: made });
    const { json } = await shop.call(`/api/payments?createdBy=${cashier.userId}`);
    expect(json.data.map(({ paymentMethod }: { paymentMethod: string }) => paymentMethod)).toEqual([
      'reference',
      'webframe',
    ]);
    const people = (await shop.call('/api/payments/cashiers')).json;
    expect(people.data).toEqual([{ id: cashier.userId, name: expect.stringMatching(/\S/) }]);
    expect(people.clients.map(({ id }: { id: string }) => id)).toContain(byClient.createdByClient);
    const other = await openCallbackFixture(app);
    expect((await other.call('/api/payments/cashiers')).json.data).toEqual([]);
    expect((await other.call(`/api/payments?createdBy=${cashier.userId}`)).json.totalItems).toBe(0);
  });

  test.each([
    ['createdBy=me', '/query/createdBy invalid_format'],
    ['link=yes', '/query/link invalid_value'],
    ['paymentMethod=cash', '/query/paymentMethod invalid_value'],
  ])('returns 400 for %s', async (query, fault) => {
    expect(readFieldFaults(await shop.call(`/api/payments?${query}`))).toEqual([fault]);
  });
});

describe('the sums of the list', () => {
  const sum = async (query: string) => (await shop.call(`/api/payments/sums?${query}`)).json;

  test('adds received and refunded money of all pages, by currency', async () => {
    const fresh = await openCallbackFixture(app);
    await app.sql(
      `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
        revision, amount_paid_minor, refunded_minor, created_at)
      select gen_random_uuid(), $1, 'S' || n, 1001, case when n % 10 = 0 then 'USD' else 'AOA' end, 'GPO', 'webframe',
        'Paid', 1, 1001, case when n <= 3 then 10 else 0 end, $2::timestamptz
      from generate_series(1, 130) n`,
      [fresh.merchantId, app.clock.now()],
    );
    const all = (await fresh.call('/api/payments/sums')).json;
    expect(all).toEqual({
      payments: 130,
      isComplete: true,
      sums: [
        { currency: 'AOA', payments: 117, received: 1171.17, refunded: 0.3, net: 1170.87 },
        { currency: 'USD', payments: 13, received: 130.13, refunded: 0, net: 130.13 },
      ],
    });
    const found = (await fresh.call('/api/payments/sums?search=S1&currency=AOA')).json;
    const listed = (await fresh.call('/api/payments?search=S1&currency=AOA')).json;
    expect(found.payments).toBe(listed.totalItems);
    expect((await fresh.call('/api/payments/sums?to=2020-01-01T00:00:00Z')).json).toMatchObject({
      payments: 0,
      sums: [],
    });
  });

  test('has the payments that a text finds, also a frequent one', async () => {
    expect(await sum('search=zzyzx')).toMatchObject({
      payments: MANY / 2,
      isComplete: true,
      sums: [{ received: (MANY / 2) * 0.77 }],
    });
    expect((await sum('search=propina')).payments).toBe(NAMES.length);
  });
});
