// The privacy notice for payers, in three languages, with the merchant's own text.
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { createLink } from '../../support/links.ts';
import { create, webframe } from '../../support/payments.ts';
import { createReference } from '../../support/ppr.ts';

let app: TestApp;
let merchantId: string;
let path: string;
beforeAll(async () => {
  app = await startTestApp({ env: { BILLING_ISSUER: 'Balcão do Lubango', OPERATOR_CONTACT: 'dados@balcao.example' } });
  [{ id: merchantId }] = (await app.sql('select id from merchants')) as [{ id: string }];
  path = `/privacidade/${merchantId}`;
});

const open = (address: string, headers: Record<string, string> = {}) =>
  app.call(address, { token: null, headers: { accept: 'text/html', ...headers } });
const set = async (body: object) =>
  expect((await app.call(`/api/merchants/${merchantId}`, { method: 'PUT', body })).status).toBe(200);

describe('the link to the privacy notice', () => {
  const link = (lang: string) => `<a href="${path}?lang=${lang}" target="_blank" rel="noopener">`;

  test('is on the hosted page, also in a frame', async () => {
    const { clientToken } = await create(app, webframe());
    expect((await open(`/checkout/${clientToken}`)).text).toContain(`${link('pt')}Os seus dados</a>`);
    const framed = await open(`/checkout/${clientToken}?embed=1&theme=dark&lang=en`);
    expect(framed.text).toContain(`${link('en')}Your data</a>`);
  });

  test('is on the page of a reference', async () => {
    const { internalId } = await createReference(app);
    const { clientToken } = (await app.call(`/api/payments/${internalId}`)).json;
    expect((await open(`/checkout/${clientToken}?lang=fr`)).text).toContain(`${link('fr')}Vos données</a>`);
  });

  test('is on the page of a payment link', async () => {
    const { slug } = await createLink(app, { asks: ['phone'] });
    expect((await open(`/l/${slug}`)).text).toContain(`${link('pt')}Os seus dados</a>`);
  });
});

describe('GET /privacidade/{merchantId}', () => {
  test.each([
    ['pt', 'Os seus dados neste pagamento', 'Até 10 anos', 'Agência de Protecção de Dados'],
    ['en', 'Your data in this payment', 'up to 10 years', 'Agência de Protecção de Dados'],
    ['fr', 'Vos données dans ce paiement', 'Jusqu’à 10 ans', 'Agência de Protecção de Dados'],
  ])('names in the language %s the merchant, the retention periods and the contacts', async (lang, ...sentences) => {
    await set({ privacyContact: 'Rua da Missão 12, Luanda', privacyNotice: null });
    const { status, text, headers } = await open(`${path}?lang=${lang}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [{ name }] = await app.sql('select name from merchants where id = $1', [merchantId]);
    for (const each of [...sentences, name, 'Balcão do Lubango', 'dados@balcao.example', 'Rua da Missão 12, Luanda'])
      expect(text).toContain(each);
    expect(text).toContain(`lang="${lang}"`);
    expect(text).not.toMatch(/<script|undefined|\{\w+\}/);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('shows the merchant’s own text with its line breaks, in the merchant’s language', async () => {
    await set({ privacyNotice: 'Guardamos <b>tudo</b> & nada.\nSegunda linha {merchant}.' });
    const { text } = await open(`${path}?lang=en`);
    expect(text).toContain(
      '<p class="own" lang="pt">Guardamos &lt;b>tudo&lt;/b> &amp; nada.\nSegunda linha {merchant}.</p>',
    );
    await set({ privacyNotice: null });
    expect((await open(path)).text).not.toContain('class="own"');
  });

  test('uses the language of the browser, and returns 404 for an unknown merchant id', async () => {
    expect((await open(path, { 'accept-language': 'fr' })).text).toContain('Vos droits');
    for (const wrong of ['0198f3a2-7c11-7e55-9d20-6a1f0c3b9e01', 'x']) {
      const { status, text } = await open(`/privacidade/${wrong}`);
      expect([status, text.includes('Esta página não existe')]).toEqual([404, true]);
    }
  });
});
