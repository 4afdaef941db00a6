// GET and POST /l/{slug} in each state of a link, and the preview that chat apps show.
import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { createLink, linkBody, sendForm, useLink, readLink } from '../../support/links.ts';
import { travelToStatus } from '../../support/payments.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const open = (slug: string, headers: object = {}) =>
  app.call(`/l/${slug}`, { token: null, headers: { ...HTML, ...headers } });
const titleOf = ({ text }: Reply) => /<h1[^>]*>([^<]*)/.exec(text)?.[1];
const LOGO =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The simulator approves pushes to this phone after one second. */
const APPROVER = '900000000';

async function pay({ token, id }: { token: string; id: string }): Promise<void> {
  await app.call(`/checkout/${token}/pay`, { body: { phoneNumber: APPROVER }, token: null });
  await travelToStatus(app, id, 'Paid');
}

describe('the page of a link', () => {
  test('says that a link with a stock of 1 is paid', async () => {
    const link = await createLink(app, { stock: 1 });
    await pay(await useLink(app, link));
    for (const page of [await open(link.slug), await sendForm(app, link)]) expect(titleOf(page)).toBe('Já está pago');
  });

  test('leads to the open payment of a link with a stock of 1', async () => {
    const link = await createLink(app, { stock: 1 });
    const { token } = await useLink(app, link);
    const page = await open(link.slug);
    expect(titleOf(page)).toBe('Este pagamento já foi começado');
    expect(page.text).toContain(`href="/checkout/${token}?lang=pt"`);
  });

  test('does not lead to payments of other payers while they hold the whole stock', async () => {
    const link = await createLink(app, { stock: 2 });
    const uses = [await useLink(app, link), await useLink(app, link)];
    const busy = await open(link.slug);
    expect(titleOf(busy)).toBe('O que resta está a ser pago');
    expect(busy.text).not.toContain('/checkout/');
    for (const use of uses) await pay(use);
    expect(titleOf(await open(link.slug))).toBe('Esgotado');
  });

  test('says that the link has ended, and refuses its form after the end', async () => {
    const link = await createLink(app, { expiresAt: new Date(app.clock.now().getTime() + 60_000).toISOString() });
    expect((await open(link.slug)).text).toContain('Pode pagar até 2 de Março de 2026');
    app.clock.leap(60_000);
    expect(titleOf(await open(link.slug))).toBe('O prazo deste link terminou');
    const late = await sendForm(app, link);
    expect([late.status, titleOf(late)]).toEqual([409, 'O prazo deste link terminou']);
  });

  test('refuses its form after the withdrawal of the link, while an open payment can still be paid', async () => {
    const link = await createLink(app);
    const use = await useLink(app, link);
    await app.call(`/api/links/${link.id}`, { method: 'DELETE' });
    const page = await sendForm(app, link);
    expect([page.status, titleOf(page)]).toEqual([409, 'Este link foi retirado']);
    await pay(use);
  });

  test('says that the merchant cannot charge, and creates no payment', async () => {
    const { token, merchantId } = await app.addMerchant({ gpoPosIds: [], gpoMerchantIds: [], entity: null });
    const { json } = await app.call('/api/links', { body: linkBody(), token });
    const page = await sendForm(app, json);
    expect([page.status, titleOf(page)]).toEqual([409, 'De momento não é possível pagar aqui']);
    expect(await app.sql('select from payments where merchant_id = $1', [merchantId])).toEqual([]);
  });

  test('is shown again if the merchant changes the link while the form is submitted', async () => {
    const link = await createLink(app);
    // The change happens after the node reads the form and before it writes the payment.
    const release = await holdChange(link.id);
    const sent = sendForm(app, link);
    await release({ amount_minor: 200_000 });
    const page = await sent;
    expect([page.status, titleOf(page)]).toEqual([409, 'Bilhete']);
    expect(page.text).toContain('mudou este pedido há instantes');
    expect(page.text.replaceAll('\u00a0', ' ')).toContain('2 000,00 Kz');
  });
});

/** Locks the row of the link, and changes it as soon as another statement waits for the lock. */
async function holdChange(id: string): Promise<(set: { amount_minor: number }) => Promise<void>> {
  const client = await app.node.core.pool.connect();
  await client.query('begin');
  await client.query('select from links where id = $1 for update', [id]);
  return async ({ amount_minor }) => {
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await app.sql(waiting)).length > 0, 'the form waiting');
    await client.query('update links set amount_minor = $2, revision = revision + 1 where id = $1', [id, amount_minor]);
    await client.query('commit');
    client.release();
  };
}

describe('the form of a link', () => {
  const asks = ['name', 'email', 'phone', 'nif'];

  test('shows the error of each field, keeps the typed values, and creates no payment', async () => {
    const link = await createLink(app, { asks, amount: null, maxAmount: 100 });
    const page = await sendForm(app, link, { amount: '100,01', name: '<b>Ana', email: 'ana@', phone: '12', nif: '1' });
    expect(page.status).toBe(400);
    for (const name of ['amount', 'email', 'phone', 'nif']) expect(page.text).toContain(`id="${name}-error"`);
    expect(page.text).not.toContain('id="name-error"');
    expect(page.text).toContain('value="&lt;b>Ana"');
    expect(await app.sql('select from payments where link_id = $1', [link.id])).toEqual([]);
  });

  test('has the fields of the link, and no other field is stored', async () => {
    const link = await createLink(app, { asks: ['phone'] });
    const { text } = await open(link.slug);
    expect([...text.matchAll(/<input[^>]* name="(\w+)"/g)].map(([, name]) => name)).toEqual(['form', 'phone']);
    const { id } = await useLink(app, link, { phone: '923456789', name: 'Ana', amount: '1' });
    const { json } = await app.call(`/api/payments/${id}`);
    expect(json).toMatchObject({ customerName: null, customerTelephone: '+244923456789', amount: 1500 });
  });

  test('creates one payment for two submissions with equal values, and another for other values', async () => {
    const link = await createLink(app, { amount: null });
    const form = 'one form';
    const uses = [];
    for (const amount of ['500', '500', '600']) uses.push(await useLink(app, link, { form, amount }));
    expect(uses[1]).toEqual(uses[0]);
    expect(uses[2]!.id).not.toBe(uses[0]!.id);
  });

  test('creates a new payment for a repeated submission whose payment was canceled, and only one', async () => {
    const link = await createLink(app, { stock: 2 });
    const form = 'one form again';
    const first = await useLink(app, link, { form });
    expect((await app.call(`/api/payments/${first.id}/cancel`, { method: 'POST' })).status).toBe(200);
    const again = await Promise.all([useLink(app, link, { form }), useLink(app, link, { form })]);
    expect(again[0]).toEqual(again[1]);
    expect(again[0]!.id).not.toBe(first.id);
    expect((await readLink(app, link)).openPayments).toBe(1);
  });

  test('creates several payments for a merchant with unique references', async () => {
    const { token, merchantId } = await app.addMerchant();
    await app.sql('update merchants set unique_references = true where id = $1', [merchantId]);
    const { json } = await app.call('/api/links', { body: linkBody(), token });
    const locations = [await sendForm(app, json), await sendForm(app, json)].map(({ status }) => status);
    expect(locations).toEqual([303, 303]);
  });
});

test("the page of a link has the merchant's brand, the payer's language and a slug in any letter case", async () => {
  const body = { brandColor: '#ffd200', brandLogo: LOGO };
  expect((await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body })).status).toBe(200);
  const link = await createLink(app, { title: 'Mesa & <vela>' });
  const page = await open(link.slug.toUpperCase(), { 'accept-language': 'fr' });
  expect(page.text).toContain('<html lang="fr">');
  expect(titleOf(page)).toBe('Mesa &amp; &lt;vela>');
  expect(page.text).toMatch(/--brand-light:#[0-9a-f]{6}/);
  expect(page.text).toContain(`src="/l/${link.slug}/logo"`);
  const image = await app.call(`/l/${link.slug}/logo`, { token: null });
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
  const policy = page.headers.get('content-security-policy')!;
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe-inline');
  expect(page.headers.get('cache-control')).toBe('private, no-cache');
});

test('the QR code of a link is an image that pages of other sites may show, and of an unknown link 404', async () => {
  const link = await createLink(app);
  const read = (slug: string) => app.call(`/l/${slug}/qr.svg`, { token: null });
  const image = await read(link.slug);
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(image.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(image.text).toBe((await app.call(`/api/links/${link.id}/qr.svg`)).text);
  expect((await read('2222222222')).status).toBe(404);
});

test('the page of an unknown link returns 404, and many requests for unknown slugs return 429', async () => {
  const strict = await startTestApp({ env: { RATE_LIMIT_PUBLIC: '1000' } });
  const known = await createLink(strict);
  const at = (slug: string) => strict.call(`/l/${slug}`, { token: null, headers: HTML });
  expect(titleOf(await at('2222222222'))).toBe('Este link não existe');
  for (let nth = 0; nth < 30; nth++) await at(nth % 2 ? '3333333333' : 'x');
  const guess = await at('4444444444');
  expect([guess.status, titleOf(guess)]).toEqual([429, 'Não foi possível abrir esta página']);
  expect((await at(known.slug)).status).toBe(200);
});

describe('the preview of a link for chat apps', () => {
  const CRAWLER = { 'user-agent': 'facebookexternalhit/1.1', accept: '*/*' };
  const readTags = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/<meta property="og:(\w+)" content="([^"]*)"/g)].map(([, name, content]) => [name, content]),
    );

  test("has the link's title, amount, merchant and image", async () => {
    const link = await createLink(app, { title: 'Bilhete <para> o "concerto"', amount: 7500 });
    const { text } = await app.call(`/l/${link.slug}`, { token: null, headers: CRAWLER });
    const url = `${app.node.core.publicUrl}/l/${link.slug}`;
    expect(readTags(text)).toMatchObject({
      title: 'Bilhete &lt;para> o &quot;concerto&quot; · 7\u00a0500,00\u00a0Kz',
      url,
      image: `${url}/preview.png`,
      locale: 'pt_AO',
    });
  });

  test('says that a withdrawn link is withdrawn', async () => {
    const link = await createLink(app);
    await app.call(`/api/links/${link.id}`, { method: 'DELETE' });
    const { text } = await open(link.slug);
    expect(readTags(text)).toMatchObject({ description: 'Este link foi retirado' });
  });

  test('changes no link and no payment, and writes no event', async () => {
    const link = await createLink(app, { stock: 1 });
    const { token } = await useLink(app, await createLink(app, { stock: 1 }));
    const readAll = async () => [
      await app.sql('select * from links order by id'),
      await app.sql('select * from payments order by id'),
      await app.sql('select count(*) from events'),
    ];
    const before = await readAll();
    for (const path of [`/l/${link.slug}`, `/checkout/${token}`])
      for (const leaf of ['', '/preview.png'])
        for (const method of ['GET', 'HEAD']) {
          const { status } = await app.call(path + leaf, { method, token: null, headers: CRAWLER });
          expect([path + leaf, method, status]).toEqual([path + leaf, method, 200]);
        }
    expect(await readAll()).toEqual(before);
  });

  test("has an image in the merchant's colour, or the merchant's logo", async () => {
    const readPicture = async (color: string | null, logo: string | null) => {
      const { token, merchantId } = await app.addMerchant();
      const paint = 'update merchants set brand_color = $2, brand_logo = $3 where id = $1';
      await app.sql(paint, [merchantId, color, logo]);
      const { json } = await app.call('/api/links', { body: linkBody(), token });
      const response = await fetch(`${app.url}/l/${json.slug}/preview.png`);
      return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const house = await readPicture(null, null);
    expect([house.type, house.bytes.readUInt32BE(16), house.bytes.readUInt32BE(20)]).toEqual(['image/png', 1200, 630]);
    const colourOf = (png: Buffer) => PNG.sync.read(png).data.toString('hex', 0, 3);
    expect(colourOf(house.bytes)).toBe('0b5d5b');
    expect(house.bytes.length).toBeLessThan(12_000);
    const branded = await readPicture('#7a1f5c', null);
    expect(colourOf(branded.bytes)).toBe('7a1f5c');
    expect((await readPicture('#7a1f5c', LOGO)).bytes.toString('base64')).toBe(LOGO.split(',')[1]);
  });

  test('returns 404 for the image of an unknown link', async () => {
    for (const path of ['/l/2222222222/preview.png', '/checkout/nothing/preview.png'])
      expect((await app.call(path, { token: null })).status).toBe(404);
  });
});
