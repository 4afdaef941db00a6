// The built pages are small, complete documents under a strict content security policy.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readBrand } from '../../../shared/brand.ts';
import { LANGS, type CheckoutSession, type CheckoutSessionWithTexts } from '../../../shared/checkout.ts';
import { beginState } from '../../../shared/payer.ts';
import { REFERENCE_STATUSES } from '../../../shared/reference.ts';
import { describeScreen } from '../../../shared/screen.ts';
import { isFinal, PAYMENT_STATUSES, type PaymentStatus } from '../../../shared/status.ts';
import { texts } from '../../../checkout/text/languages.ts';
import { CODE, everyState, PUSH, REFERENCE, referenceWith, sessionWith, withTexts } from '../../support/checkout.ts';

const dist = (file: string) => fileURLToPath(new URL(`../../../dist/${file}`, import.meta.url));
const {
  renderCheckout,
  renderKept,
  renderMissing,
  renderProblem,
  renderRefused,
  renderTrouble,
  renderUnlisted,
  stylesOf,
} = (await import(dist('ssr/render.js'))) as typeof import('../../../checkout/render.tsx');
const manifest = JSON.parse(readFileSync(dist('client/manifest.json'), 'utf8'));

/** The sessions that can follow the first session of a payment, by payment method. */
function listLater(session: CheckoutSessionWithTexts): CheckoutSessionWithTexts[] {
  const { method } = session;
  const never: PaymentStatus[] = method === 'authorization' ? [] : ['Authorized', 'Captured'];
  if (session.ppr) return listLaterOf(session, session.ppr);
  const qr = method === 'qrcode' ? CODE.qr : null;
  return PAYMENT_STATUSES.filter((each) => !never.includes(each)).map((status) => ({
    ...session,
    ...(status === 'Processing' && method !== 'capture' && !qr && PUSH),
    method,
    qr,
    status,
    isFinal: isFinal(status),
    failure: null,
  }));
}

/** A paid reference is final unless it accepts several payments. */
function listLaterOf(session: CheckoutSessionWithTexts, ppr: NonNullable<CheckoutSession['ppr']>) {
  return (['Pending', 'Paid', 'Canceled', 'Expired'] as const).flatMap((status) =>
    REFERENCE_STATUSES.filter((each) => each === status || status === 'Paid').flatMap((each) =>
      [true, false].map((isRegistered) => ({
        ...session,
        ppr: { ...ppr, status: each, isRegistered },
        status,
        failure: null,
        late: status === 'Paid',
      })),
    ),
  );
}

const brotli = (text: string | Buffer, quality: number) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length;

const token = 'AZbn1mHgcNqOv0xw7gHkYQ.q0m2Yx8v3R1ZpL6nT4uJ9sKdWfEbAhCiGoQlXyVzUwM';
const url = `https://pay.example.ao/checkout/${token}`;
const render = (session = sessionWith(), more = {}) =>
  renderCheckout({ session: withTexts(session), token, script: '/assets/checkout-0a1b2c3d.js', url, ...more });

/** Seconds until a page without a script refreshes. Null if the payer has to act, or the payment is final. */
const LOOKS = {
  pending: null,
  waiting: 4,
  'code not made yet': 4,
  'reference not registered yet': 4,
  'window over': 15,
  capturing: 15,
  'code over': 15,
  code: 30,
  reference: 30,
  'reference paid once, payable again': 30,
  'reference paid with another amount': null,
  authorized: null,
  exhausted: null,
  paid: null,
};

describe('the checkout page', () => {
  for (const lang of LANGS)
    test.each(everyState(lang))(`is one document of at most 5 kB without inline code (${lang}, %s)`, (_, session) => {
      const html = render(session);
      expect(html).toMatch(new RegExp(`^<!doctype html><html lang="${lang}">`));
      expect(html).not.toMatch(/ style="| on[a-z]+="|undefined|\[object/);
      expect(html.match(/<style>/g)).toHaveLength(1);
      expect(html).toContain(`<style>${stylesOf(session)}</style>`);
      expect(stylesOf(session)).not.toMatch(/:host|\{\}/);
      expect(html.match(/<h1/g)).toHaveLength(1);
      expect(brotli(html, 5)).toBeLessThanOrEqual(5_000);
    });
  test('links the merchant’s logo as an image, and has the brand colour in its style sheet only', () => {
    const brand = readBrand('#f5b301');
    const html = render(sessionWith({ merchant: { ...sessionWith().merchant, brand, hasLogo: true } }));
    expect(html).toContain(`<img class="logo" src="/checkout/${token}/logo?lang=pt" alt decoding="async"/>`);
    expect(html.split('#916a01')).toHaveLength(2);
    expect(html).toContain(
      ':root{--brand-light:#916a01;--brand-dark:#f5b301;--brand-fill:#f5b301;--brand-letters:#1b1a17}</style>',
    );
    expect(render()).not.toContain('--brand-light:#');
  });
  test('embeds its session JSON without closing the script element', () => {
    const html = render(sessionWith({ description: '</script><script>alert(1)</script><!--' }));
    expect(html).not.toContain('<script>alert');
    const carried = /<script type="application\/json" id="session">(.*?)<\/script>/.exec(html)?.[1] ?? '';
    expect(JSON.parse(carried).session.description).toBe('</script><script>alert(1)</script><!--');
  });
  test('escapes the text of merchants', () => {
    const html = render(sessionWith({ merchant: { ...sessionWith().merchant, name: '<b>"Loja"</b>' } }));
    expect(html).not.toContain('<b>');
  });
  test('puts a form error first in the title, and links it to the focused field', () => {
    const html = render(sessionWith(), { formError: 'Número errado' });
    expect(html).toContain('<title>Erro: Pague com Multicaixa Express</title>');
    expect(html).toMatch(/<input [^>]*aria-invalid="true"/);
    expect(html).toMatch(/<input [^>]*aria-describedby="phone-note"/);
    expect(html).toMatch(/<input [^>]*autofocus/);
    expect(html).toContain('<p id="phone-note" class="error">Número errado</p>');
    expect(render()).not.toMatch(/Erro: |<input [^>]*autofocus/);
    // A push to another phone is pending: there is no field to correct.
    expect(render(sessionWith(PUSH), { formError: 'Já há um pedido' })).not.toContain('Erro: ');
  });
  test('posts its form without a script, and refreshes automatically during a push', () => {
    const waiting = everyState('en').find(([name]) => name === 'waiting')?.[1];
    expect(render()).toContain(`action="/checkout/${token}/pay?lang=pt"`);
    expect(render(waiting)).toContain(
      `<noscript><meta http-equiv="refresh" content="4;url=/checkout/${token}?lang=en"/></noscript>`,
    );
    expect(render()).not.toContain('http-equiv="refresh"');
    expect(render(sessionWith(), { script: null })).not.toContain('<script');
  });
  test('shows a QR code without a script: the image, the link to the app, and a refresh', () => {
    const html = render(sessionWith(CODE));
    expect(html).toContain(`src="/checkout/${token}/qrcode.svg?lang=pt"`);
    expect(html).toMatch(/alt="Código QR para pagar [^"]+ a Loja da Ilha"/);
    expect(html).toContain('href="mcxwallet://purchase?qrref=0002"');
    expect(html).toContain('3 de 10 pagos');
    expect(html).toContain('http-equiv="refresh"');
    expect(html).not.toContain('name="phoneNumber"');
  });
  test('contains exactly the texts that its later screens need', () => {
    for (const [name, session] of everyState('pt')) {
      const carried = /<script type="application\/json" id="session">(.*?)<\/script>/.exec(render(session))?.[1] ?? '';
      const kept = JSON.parse(carried).session;
      for (const later of listLater(kept)) {
        const screen = describeScreen(beginState(later), Date.parse(later.serverTime));
        const whole = describeScreen(beginState({ ...later, texts: texts.pt }), Date.parse(later.serverTime));
        expect(screen, `${name}, then ${later.status}`).toEqual(whole);
      }
    }
    expect(render(sessionWith(CODE))).not.toContain('error.phone_invalid');
    expect(render(sessionWith(REFERENCE))).not.toMatch(/error\.phone_invalid|wait\.title|scan\.title/);
    expect(render(sessionWith(REFERENCE))).toContain('"wait.refresh"');
    expect(render()).not.toMatch(/scan\.title|details\.where|released\.title/);
  });
  test('shows a reference without a script: the labels of the cash machine, and no button without effect', () => {
    const html = render(sessionWith(REFERENCE));
    expect(html).toContain('<span>017</span><span>756</span><span>991</span>');
    expect(html).not.toContain('<button');
    expect(render(sessionWith({ ...REFERENCE, lang: 'en' }))).toContain('<dd lang="pt">Pagamentos');
    expect(html).toContain(`content="30;url=/checkout/${token}?lang=pt"`);
    expect(render(sessionWith(referenceWith({ isRegistered: false })))).toContain('content="4;url=');
    const received = { count: 1, amountText: '5,00 Kz' };
    expect(render(sessionWith(referenceWith({ received })))).not.toContain('http-equiv="refresh"');
  });
  test.each(Object.entries(LOOKS))(
    'refreshes automatically without a script, or has a link to refresh (%s: %s s)',
    (name, seconds) => {
      const session = everyState('pt').find(([each]) => each === name)?.[1];
      const html = render(session);
      const address = `/checkout/${token}?lang=pt`;
      expect(/http-equiv="refresh" content="(\d+);url=([^"]+)"/.exec(html)?.slice(1)).toEqual(
        seconds ? [`${seconds}`, address] : undefined,
      );
      const isLed = name !== 'pending' && name !== 'exhausted' && name !== 'paid';
      expect(html.split(`<a href="${address}">Actualizar</a>`)).toHaveLength(isLed ? 2 : 1);
    },
  );
  test('has a chat preview of an open payment with amount and merchant, without phone and description', () => {
    const tagsOf = (session?: CheckoutSession, more = {}) =>
      [...render(session, more).matchAll(/<meta (?:property|name)="((?:og|twitter):\w+)" content="([^"]*)"/g)].map(
        ([, name, content]) => `${name} ${content}`,
      );
    const refused = everyState('pt').find(([name]) => name === 'refused: timed_out')?.[1];
    expect(tagsOf(sessionWith({ ...refused, phone: '923 ••• 789', description: 'Renda de Ana Paulo' }))).toEqual([
      'og:title 12\u00a0500,00\u00a0Kz · Loja da Ilha',
      'og:description Abra para pagar a Loja da Ilha.',
      `og:image ${url}/preview.png`,
      `og:url ${url}`,
      'og:site_name Loja da Ilha',
      'og:locale pt_AO',
      'og:type website',
      'twitter:card summary',
    ]);
    expect(tagsOf(sessionWith({ ...PUSH, status: 'Paid' }))).toEqual([]);
    expect(tagsOf(undefined, { url: undefined })).toEqual([]);
  });
  test('has the SANDBOX ribbon in the sandbox only', () => {
    expect(render(sessionWith({ sandbox: true }))).toContain('sem dinheiro real');
    expect(render()).not.toMatch(/ribbon"|\/sandbox\//);
  });
});

describe('the page that a payer saves as a file', () => {
  const brand = readBrand('#f5b301');
  const kept = (session: CheckoutSession) =>
    renderKept(withTexts({ ...session, merchant: { ...session.merchant, brand, hasLogo: true } }));

  for (const lang of LANGS)
    test.each(everyState(lang))(`has no links, requests, forms or scripts (${lang}, %s)`, (_, session) => {
      const html = kept(session);
      expect(html).toMatch(new RegExp(`^<!doctype html><html lang="${lang}">`));
      expect(html.replace(/<link rel="icon" href="data:[^"]+"\/>/, '')).not.toMatch(
        /<(script|noscript|form|input|button|a|img|link|iframe)\b|http-equiv|href=|src=|url\(|\/checkout\/|https?:/,
      );
      expect(html).toContain('Loja da Ilha');
      expect(brotli(html, 5)).toBeLessThanOrEqual(5_000);
    });
  test('has all details of a receipt and of a reference', () => {
    const paid = kept(sessionWith(everyState('pt').find(([name]) => name === 'paid')?.[1]));
    for (const word of [
      '<title>Pago<',
      '12\u00a0500,00\u00a0Kz',
      'ENC-2041',
      '44100017',
      '2 de Março de 2026',
      'Ambiente de testes',
    ])
      expect(paid).toContain(word);
    const refunded = kept(sessionWith(everyState('pt').find(([name]) => name === 'given back in part')?.[1]));
    expect(refunded).toContain('<p>Devolvido em parte: 500,00\u00a0Kz de 12\u00a0500,00\u00a0Kz</p>');
    expect(refunded).toMatch(/<dt>Devolvido<\/dt><dd[^>]*>500,00\u00a0Kz<\/dd>/);
    const reference = kept(sessionWith(REFERENCE));
    for (const word of ['00999', '<span>017</span><span>756</span><span>991</span>', '2 de Abril', 'Onde pagar'])
      expect(reference).toContain(word);
  });
});

test.each(LANGS)('the pages without a payment are small and have no script (%s)', (lang) => {
  const problem = { code: 'not_found', status: 404, title: 'Not found', detail: 'There is nothing here.' };
  const pages = [
    renderMissing(lang),
    renderTrouble(lang),
    renderRefused(lang),
    renderProblem(problem, lang),
    renderProblem([problem], lang),
    renderUnlisted(lang, { token: 'token', theme: 'auto', origin: 'https://loja.example', script: null }),
  ];
  for (const html of pages) {
    expect(html).toContain(`<html lang="${lang}">`);
    expect(html).not.toMatch(/ style="|<script|undefined/);
    expect(brotli(html, 5)).toBeLessThanOrEqual(5_000);
  }
});

describe('the script of the checkout page', () => {
  const entry = manifest['checkout/main.tsx'];
  const code = readFileSync(dist(`client/${entry.file}`), 'utf8');
  test('is one file of at most 13.9 kB', () => {
    expect(entry.imports ?? []).toEqual([]);
    expect(code).not.toMatch(/\bimport\b/);
    expect(brotli(code, 11)).toBeLessThanOrEqual(13_900);
  });
  test('has no validation library', () => {
    expect(code).not.toMatch(/zod|ZodError|invalid_type/i);
  });
});
