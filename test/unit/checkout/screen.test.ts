// Every state has a screen in every language, without missing texts.
import { describe, expect, test } from 'vitest';
import { LANGS, type CheckoutSession } from '../../../shared/checkout.ts';
import { beginState } from '../../../shared/payer.ts';
import { GPO_METHODS } from '../../../shared/methods.ts';
import { describeScreen } from '../../../shared/screen.ts';
import { FAILURE_CODES, PAYMENT_STATUSES } from '../../../shared/status.ts';
import { chooseTexts } from '../../../checkout/text/choose.ts';
import { texts } from '../../../checkout/text/languages.ts';
import { pageTexts } from '../../../checkout/text/pages.ts';
import {
  CODE,
  everyState,
  failureOf,
  PUSH,
  referenceWith,
  refundOf,
  sessionWith,
  withTexts,
} from '../../support/checkout.ts';

const nowMs = Date.parse('2026-03-02T09:00:10.000Z');
const describeAt = (part: Parameters<typeof sessionWith>[0], step: 'idle' | 'checking' = 'idle') =>
  describeScreen({ ...beginState(withTexts(sessionWith(part))), step }, nowMs);

describe('the texts of the checkout', () => {
  test.each(LANGS)('have in %s the keys and placeholders of the Portuguese texts', (lang) => {
    expect(Object.keys(texts[lang]).sort()).toEqual(Object.keys(texts.pt).sort());
    expect(Object.keys(pageTexts[lang])).toEqual(Object.keys(pageTexts.pt));
    const placesOf = (text: string) => text.match(/\{\w+\}/g) ?? [];
    for (const [key, text] of Object.entries(texts[lang])) {
      expect(text.trim(), key).not.toBe('');
      expect(placesOf(text), key).toEqual(placesOf(texts.pt[key as keyof typeof texts.pt]));
    }
  });
  test.each(FAILURE_CODES)('have a reason and advice for the failure code %s', (code) => {
    expect(texts.pt).toHaveProperty([`failure.${code}`]);
    expect(texts.pt).toHaveProperty([`advice.${code}`]);
  });
});

describe('describeScreen', () => {
  for (const lang of LANGS)
    test.each(everyState(lang))(`has a title and no unfilled placeholder (${lang}, %s)`, (_, session) => {
      const screen = describeScreen(beginState(withTexts(session)), nowMs);
      expect(screen.title).not.toBe('');
      expect(JSON.stringify(screen)).not.toMatch(/\{\w+\}|undefined/);
      expect([...screen.lines, ...screen.steps].every((line) => line !== '')).toBe(true);
    });
});

describe('the screen', () => {
  test('counts down a pending push', () => {
    expect(describeAt(PUSH)).toMatchObject({ name: 'wait', countdown: { text: '1:20' } });
  });
  test('shows the wait for the bank after the window of a push', () => {
    expect(describeAt({ ...PUSH, pushExpiresAt: '2026-03-02T09:00:09.000Z' })).toMatchObject({ name: 'bank' });
  });
  test('shows the reason of a refusal, advice and the form', () => {
    const screen = describeAt({ failure: failureOf('insufficient_funds', 'pt'), attemptsLeft: 4 });
    expect(screen).toMatchObject({
      name: 'pay',
      tone: 'danger',
      title: 'Saldo insuficiente',
      code: 'insufficient_funds',
    });
    expect(screen.lines).toEqual(['Carregue a conta ou use outro número.']);
    expect(screen.limits).toBe('Pode pagar até às 10:30. Tentativas que restam: 4.');
  });
  test('has no form if no attempt is left', () => {
    expect(describeAt({ attemptsLeft: 0, failure: failureOf('timed_out', 'pt') })).toMatchObject({ name: 'exhausted' });
  });
  test('offers a reference after a refusal if the session allows it', () => {
    const refused = { failure: failureOf('timed_out', 'pt'), attemptsLeft: 4 };
    const offered = (part: Partial<CheckoutSession>) => describeAt({ ...refused, ...part }).isReplaceable;
    expect(offered({ canUseReference: true })).toBe(true);
    expect(offered({ canUseReference: false })).toBe(false);
    expect(offered({ canUseReference: null })).toBe(false);
    expect(offered({ canUseReference: true, ...PUSH })).toBe(false);
    const exhausted = describeAt({ ...refused, attemptsLeft: 0, canUseReference: true });
    expect(exhausted.isReplaceable).toBe(true);
    expect(exhausted.lines.join(' ')).toMatch(/^Tempo esgotado\. Pode pagar com entidade e referência/);
    expect(exhausted.lines.join(' ')).not.toContain('peça um novo pagamento');
  });
  test('contains the texts of the reference offer only in states that allow the offer', () => {
    const carried = (canUseReference: boolean | null) =>
      Object.keys(chooseTexts(withTexts(sessionWith({ canUseReference }))));
    expect(carried(null)).not.toContain('instead.button');
    expect(carried(false)).toContain('instead.button');
    expect(carried(true)).toContain('instead.line');
  });
  test('shows after a lost request that the page checks the payment, until the server responds', () => {
    expect(describeAt({}, 'checking')).toMatchObject({ name: 'checking' });
    expect(describeAt(PUSH, 'checking')).toMatchObject({ name: 'wait' });
  });
  test('has no receipt line for an unknown value', () => {
    const { rows } = describeAt({ status: 'Paid', paidAtText: '2 de Março', transaction: null, phone: null });
    expect(rows).toEqual([
      ['Referência', 'ENC-2041'],
      ['Data (Luanda)', '2 de Março'],
    ]);
  });
});

describe('the screen of a refund', () => {
  const paid = { status: 'Paid', paidAtText: '2 de Março' } as const;

  test.each([
    ['full', 'Devolvido', '12\u00a0500,00\u00a0Kz'],
    ['partial', 'Devolvido em parte: 500,00\u00a0Kz de 12\u00a0500,00\u00a0Kz', '500,00\u00a0Kz'],
  ] as const)('shows a %s refund below the title and last on the receipt', (extent, line, amount) => {
    const { title, lines, rows } = describeAt({ ...paid, refund: refundOf(extent, 'pt') });
    expect(title).toBe('Pago');
    expect(lines[0]).toBe(line);
    expect(rows).toHaveLength(3);
    expect(rows.at(-1)).toEqual(['Devolvido', amount]);
  });
  test('shows the refund of a payable reference next to its payments', () => {
    const part = referenceWith(
      { type: 'Charging', received: { count: 2, amountText: '27\u00a0500,00\u00a0Kz' } },
      { ...paid, refund: refundOf('partial', 'pt') },
    );
    expect(describeAt(part)).toMatchObject({ name: 'received', count: expect.stringContaining('27\u00a0500') });
    expect(describeAt(part).lines[0]).toMatch(/^Devolvido em parte/);
  });
});

describe('the screen of each method and status', () => {
  const expected = {
    webframe: 'pay wait authorized paid paid failed canceled expired',
    onetimepurchase: 'preparing wait authorized paid paid failed canceled expired',
    authorization: 'preparing wait authorized paid paid failed released released',
    capture: 'preparing capturing authorized paid paid failed canceled expired',
    qrcode: 'scan bank authorized paid paid failed canceled expired',
  };
  const cases = GPO_METHODS.flatMap((method) =>
    PAYMENT_STATUSES.map((status, at) => [method, status, expected[method].split(' ')[at]] as const),
  );
  test.each(cases)('is for method %s in status %s the screen %s', (method, status, name) => {
    // The server sends a push with its approval window, and a QR code with its number of payments.
    const isPush = status === 'Processing' && method !== 'capture' && method !== 'qrcode';
    const part = { ...(isPush && PUSH), ...(method === 'qrcode' && CODE), method, status };
    const screen = describeAt({ ...part, attemptsLeft: method === 'webframe' ? 5 : 0 });
    expect(screen.name).toBe(name);
    expect(screen.title).not.toBe('');
    expect(screen.lines.length).toBeGreaterThan(name === 'pay' || name === 'wait' ? -1 : 0);
  });
});

describe('the screen of a QR code', () => {
  test('shows the count of payments and the remaining time', () => {
    expect(describeAt(CODE)).toMatchObject({
      name: 'scan',
      count: '3 de 10 pagos',
      limits: 'Pode pagar durante mais 23:59:20.',
    });
  });
  test('shows no count for a code of one payment, and the expiry date if it lies days ahead', () => {
    const later = { expiresAt: '2026-03-09T09:00:00.000Z', untilText: '9 de Março de 2026 às 10:00' };
    const screen = describeAt({ ...CODE, qr: { ...CODE.qr, max: 1 }, ...later });
    expect(screen).toMatchObject({ name: 'scan', count: '', limits: 'Pode pagar até 9 de Março de 2026 às 10:00.' });
  });
  test('shows the expiry date until less than a day is left', () => {
    const at = (expiresAt: string) => describeAt({ ...CODE, expiresAt }).limits;
    expect(at('2026-03-03T09:00:09.500Z')).toBe('Pode pagar até 3 de Março de 2026 às 09:59.');
    expect(at('2026-03-03T09:00:08.999Z')).toBe('Pode pagar durante mais 23:59:59.');
  });
  test('shows after the code’s expiry that it waits for the server', () => {
    expect(describeAt({ ...CODE, expiresAt: '2026-03-02T09:00:09.000Z' })).toMatchObject({ name: 'bank', limits: '' });
  });
  test('shows the count after many payments, and no phone', () => {
    const paid = { status: 'Paid', paidAtText: '2 de Março', transaction: '441', phone: '923 ••• 789' } as const;
    const { lines, rows } = describeAt({ ...CODE, ...paid });
    expect(lines).toContain('Pagamentos recebidos: 3 de 10.');
    expect(JSON.stringify(rows)).not.toMatch(/441|923/);
    expect(describeAt({ ...CODE, ...paid, qr: { ...CODE.qr, max: 1 } }).rows).toContainEqual([
      'N.º da transacção',
      '441',
    ]);
  });
});

describe('the screen of an authorization', () => {
  test('says that the money is reserved, and when the reservation ends', () => {
    const held = { method: 'authorization', status: 'Authorized', untilText: '9 de Março de 2026 às 10:00' } as const;
    expect(describeAt(held).lines.join(' ')).toMatch(/só o cobra ao concluir.*até 9 de Março de 2026 às 10:00,/);
    expect(describeAt({ ...PUSH, method: 'authorization' }).lines.join(' ')).toContain('fica reservado');
  });
  test.each(['Canceled', 'Expired'] as const)('says that nothing was charged (%s)', (status) => {
    expect(describeAt({ method: 'authorization', status }).lines.join(' ')).toContain('Nada foi cobrado');
  });
});
