import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CreditNote, Invoice, PaymentTerms, Plan } from '../../../server/billing/entities.ts';
import { sumNote } from '../../../server/billing/credit.ts';
import { numberOf } from '../../../server/billing/documents.ts';
import { drawDocument, sheetOfInvoice, sheetOfNote } from '../../../server/billing/pdf.ts';
import { sumInvoice } from '../../../server/billing/schemas.ts';
import { multiplyMinor, shareMinor } from '../../../shared/money.ts';
import { readStreams, readText } from '../../support/pdf.ts';

const plan = (changes: Partial<Plan> = {}) =>
  ({ name: 'Loja', monthlyFeeMinor: 1_500_000, includedPayments: 500, paymentFeeMinor: 5_000, ...changes }) as Plan;

describe('shareMinor and multiplyMinor', () => {
  test.each([
    [607_250_00, 1_400, 85_015_00],
    [1, 1_400, 0],
    [3, 1_400, 0],
    [4, 1_400, 1],
    [25, 1_400, 4],
    [1, 5_000, 1],
    [1, 4_999, 0],
    [0, 1_400, 0],
    [12_345, 0, 0],
    [12_345, 10_000, 12_345],
    [9_007_199_254_740_991, 10_000, 9_007_199_254_740_991],
  ])('compute of %i minor units a share of %i basis points as %i', (minor, bps, share) =>
    expect(shareMinor(minor, bps)).toBe(share),
  );

  test('round a share to the nearest minor unit, half up', () => {
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(10_000), (minor, bps) => {
        // 10 000 × (share − half a unit) ≤ minor × bps < 10 000 × (share + half a unit)
        const [exact, share] = [BigInt(minor) * BigInt(bps), BigInt(shareMinor(minor, bps))];
        expect(10_000n * share - 5_000n <= exact && exact < 10_000n * share + 5_000n).toBe(true);
      }),
    );
  });

  test('give an exact product or throw', () => {
    expect(multiplyMinor(5_000, 11_845)).toBe(59_225_000);
    expect(multiplyMinor(10_000_000, 100_000_000)).toBe(1_000_000_000_000_000);
    expect(() => multiplyMinor(Number.MAX_SAFE_INTEGER, 2)).toThrow(RangeError);
  });
});

describe('sumInvoice', () => {
  test.each([
    [0, [['subscription', 1, 1_500_000]], 1_500_000, 210_000],
    [500, [['subscription', 1, 1_500_000]], 1_500_000, 210_000],
    [
      501,
      [
        ['subscription', 1, 1_500_000],
        ['payments', 1, 5_000],
      ],
      1_505_000,
      210_700,
    ],
    [
      12_345,
      [
        ['subscription', 1, 1_500_000],
        ['payments', 11_845, 59_225_000],
      ],
      60_725_000,
      8_501_500,
    ],
  ])('sums up the invoice of a month with %i payments', (payments, lines, subtotalMinor, taxMinor) => {
    const sums = sumInvoice(plan(), payments, 1_400);
    expect(sums.lines.map(({ kind, quantity, amountMinor }) => [kind, quantity, amountMinor])).toEqual(lines);
    expect(sums).toMatchObject({ subtotalMinor, taxMinor, taxBps: 1_400, totalMinor: subtotalMinor + taxMinor });
  });

  test('returns an amount of zero for a free plan', () => {
    expect(sumInvoice(plan({ monthlyFeeMinor: 0 }), 0, 1_400)).toMatchObject({
      totalMinor: 0,
      lines: [{ amountMinor: 0 }],
    });
  });

  test('is exact for any plan and month', () => {
    const anyPlan = fc.record({
      monthlyFeeMinor: fc.nat(1_000_000_000),
      includedPayments: fc.nat(100_000),
      paymentFeeMinor: fc.nat(10_000_000),
    });
    fc.assert(
      fc.property(anyPlan, fc.nat(10_000_000), fc.nat(10_000), (terms, payments, bps) => {
        const { lines, subtotalMinor, taxMinor, totalMinor } = sumInvoice(plan(terms), payments, bps);
        for (const { quantity, unitMinor, amountMinor } of lines)
          expect(BigInt(amountMinor)).toBe(BigInt(quantity) * BigInt(unitMinor));
        const beyond = Math.max(0, payments - terms.includedPayments);
        const subtotal = BigInt(terms.monthlyFeeMinor) + BigInt(beyond) * BigInt(terms.paymentFeeMinor);
        expect(BigInt(subtotalMinor)).toBe(subtotal);
        expect(BigInt(totalMinor)).toBe(subtotal + BigInt(taxMinor));
        expect(BigInt(taxMinor)).toBe((subtotal * BigInt(bps) * 2n + 10_000n) / 20_000n);
      }),
    );
  });
});

test.each([
  [2026, 1, 'EC 2026/000001'],
  [2027, 123_456, 'EC 2027/123456'],
  [2027, 1_234_567, 'EC 2027/1234567'],
])('invoice %i/%i has the number %s', (year, serial, number) => expect(numberOf({ year, serial })).toBe(number));

const invoice = (changes: Partial<Invoice> = {}) =>
  ({
    id: '0199a1b2-0000-7000-8000-000000000001',
    year: 2026,
    serial: 42,
    issuerName: 'Balcão Pagamentos, Lda.',
    issuerTaxId: '5417654321',
    issuerAddress: 'Rua da Missão, 12, Luanda',
    payment: {
      iban: 'AO83004000001234567810114',
      holder: 'Balcão Pagamentos, Lda.',
      dueOn: '2026-12-16',
      note: 'Envie o comprovativo para contas@balcao.example.',
      contact: '923 000 111',
    },
    merchantName: 'Padaria São João & Irmãos',
    merchantTaxId: '5417111222',
    planName: 'Loja',
    month: '2026-11',
    paymentCount: 12_345,
    refundCount: 0,
    currency: 'AOA',
    issuedAt: new Date('2026-11-30T23:00:05.000Z'),
    ...sumInvoice(plan(), 12_345, 1_400),
    ...changes,
  }) as Invoice;

/** The way to pay without the operator's IBAN. */
const payment = (changes: Partial<PaymentTerms> = {}): PaymentTerms => ({
  iban: null,
  holder: null,
  dueOn: null,
  note: null,
  contact: null,
  ...changes,
});

const drawInvoice = (of: Invoice, isSandbox: boolean) => drawDocument(sheetOfInvoice(of), isSandbox);

/** Decodes glyph codes by the table of the embedded font, which maps each glyph to its UTF-16 letter. */
function readEmbedded(pdf: Buffer): string {
  const { lines, plain } = readStreams(pdf);
  const [, table = ''] = /beginbfrange\n<0000> <[0-9a-f]+> \[(.*)\]/.exec(plain) ?? [];
  const letters = [...table.matchAll(/<([0-9a-f ]*)>/g)].map(([, hex = '']) =>
    Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
  );
  return lines.map((hex) => hex.replace(/..../g, (glyph) => letters[Number.parseInt(glyph, 16)] ?? '')).join('\n');
}

const note = {
  ...invoice({ id: '0199a1b2-0000-7000-8000-000000000002', year: 2027, serial: 3, taxBps: 1_400 }),
  invoiceId: invoice().id,
  reason: 'Cobrado duas vezes',
  subtotalMinor: 5_000,
  taxMinor: 700,
  totalMinor: 5_700,
} as unknown as CreditNote;

/** Only certified invoicing software may print these words and numbers. */
function expectNoClaim(text: string, title: string): void {
  expect(text).toContain(title);
  expect(text).toContain('documento sem valor fiscal');
  const claims = text.replace('não é uma factura, nem a substitui', '');
  expect(claims).not.toMatch(/fact?ura|recibo|nota de cr[eé]dito|AGT|certificad|validad|\b(FT|FR|NC) \d/i);
}

const countPages = (pdf: Buffer) => [...pdf.toString('latin1').matchAll(/\/Type \/Page\b/g)].length;

describe('the PDF of an invoice', () => {
  test('shows issuer, merchant, month and amounts in Portuguese', async () => {
    const pdf = await drawInvoice(invoice(), false);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(countPages(pdf)).toBe(1);
    const text = readText(pdf);
    for (const said of [
      'Balcão Pagamentos, Lda.',
      'NIF 5417654321',
      'EC 2026/000042',
      'Padaria São João & Irmãos',
      'NIF do cliente\n5417111222',
      'Novembro de 2026',
      '1 de Dezembro de 2026',
      'Plano Loja, mensalidade',
      'Pagamentos além dos 500 incluídos',
      '11 845',
      '592 250,00 Kz',
      '607 250,00 Kz',
      'IVA 14 %',
      '85 015,00 Kz',
      '692 265,00 Kz',
      'Rua da Missão, 12, Luanda',
      'Pagar até\n16 de Dezembro de 2026',
      'IBAN\nAO83 0040 0000 1234 5678 1011 4',
      'Titular\nBalcão Pagamentos, Lda.',
      'Referência a indicar\nEC 2026/000042',
      'Envie o comprovativo para contas@balcao.example.',
    ])
      expect(text).toContain(said);
    expect(text).not.toMatch(/AMBIENTE DE TESTES|Devoluções/);
    expectNoClaim(text, 'Extracto mensal');
  });

  test('shows the credited invoice and the reason if it is a credit note', async () => {
    const text = readText(await drawDocument(sheetOfNote(note, 'EC 2026/000042'), false));
    for (const said of [
      'CE 2027/000003',
      '5417111222',
      'EC 2026/000042',
      'Cobrado duas vezes',
      '50,00 Kz',
      '7,00 Kz',
      '57,00 Kz',
    ])
      expect(text).toContain(said);
    expectNoClaim(text, 'Correcção de extracto mensal');
    // A credited amount must not look like an owed one.
    expect(text).toContain('\nCreditado\n57,00 Kz');
    expect(text).toContain('Não há nada a pagar: desconta-se em EC 2026/000042.');
    expect(text).not.toContain('Total');
  });

  test.each<[string, Partial<Invoice>, string]>([
    ['the contact of an operator without an IBAN', { payment: payment({ contact: '923 000 111' }) }, '923 000 111'],
    ['that the operator knows how to pay', { payment: payment() }, 'Pergunte ao operador.'],
    ['that a total of zero needs no payment', { totalMinor: 0 }, 'Não há nada a pagar.'],
  ])('shows %s', async (_, changes, said) => {
    const text = readText(await drawInvoice(invoice(changes), false));
    expect(text).toContain(said);
    expect(text).not.toMatch(/IBAN|Pagar até/);
  });

  test('shows nothing about the payment of an earlier release', async () => {
    const text = readText(await drawInvoice(invoice({ payment: null, issuerAddress: null }), false));
    expect(text).not.toMatch(/IBAN|Pagar até|agamento\n|Como pagar/);
  });

  test('has a title, a language, and a heading for screen readers', async () => {
    const pdf = (await drawInvoice(invoice(), false)).toString('latin1');
    for (const part of ['/StructTreeRoot', '/Marked true', '/Lang (pt)', '/DisplayDocTitle true', '/S /H1'])
      expect(pdf).toContain(part);
  });

  test('shows a long reason completely', async () => {
    const reason = `${'Cobrado duas vezes por engano do operador '.repeat(5).slice(0, 196)} fim`;
    const text = readText(await drawDocument(sheetOfNote({ ...note, reason }, 'EC 2026/000042'), false));
    expect(text.replace(/\s+/g, ' ')).toContain(reason);
  });

  test('shows the number of refunds', async () => {
    const refunded = readText(await drawInvoice(invoice({ refundCount: 1_234 }), false));
    expect(refunded).toContain('Devoluções feitas\n1 234\n');
  });

  test('has the same bytes at each creation', async () => {
    const [first, second] = [await drawInvoice(invoice(), false), await drawInvoice(invoice(), false)];
    expect(second.equals(first)).toBe(true);
    expect((await drawInvoice(invoice({ serial: 43 }), false)).equals(first)).toBe(false);
  });

  test('shows the ribbon in the sandbox', async () => {
    expect(readText(await drawInvoice(invoice(), true))).toContain('AMBIENTE DE TESTES');
  });

  test('shows long names completely', async () => {
    const merchantName =
      'Sociedade Comercial de Panificação, Pastelaria e Distribuição Alimentar do Sul de Luanda, Limitada';
    const issuerName = 'Companhia Angolana de Serviços de Pagamento Electrónico e Tecnologias Financeiras, S.A.';
    const lines = readText(await drawInvoice(invoice({ merchantName, issuerName }), false)).split('\n');
    const text = lines.map((line) => line.trim()).join(' ');
    expect(text).toContain(merchantName);
    expect(text).toContain(issuerName);
  });

  test('has one page with the longest names and amounts', async () => {
    const name = `Ж😀 ${'Comércio Geral e Serviços '.repeat(20)}`;
    const most = sumInvoice(plan({ name: 'W'.repeat(60), paymentFeeMinor: 10_000_000 }), 100_000_000, 10_000);
    const pdf = await drawInvoice(
      invoice({
        merchantName: name,
        issuerName: name,
        issuerAddress: 'W'.repeat(200),
        refundCount: 100_000_000,
        payment: { ...invoice().payment!, holder: 'W'.repeat(100), note: 'W'.repeat(200) },
        ...most,
      }),
      true,
    );
    expect(countPages(pdf)).toBe(1);
  });

  test('shows each letter, or the code point of a letter that its font does not have', async () => {
    const draw = (merchantName: string) => drawInvoice(invoice({ merchantName }), false);
    expect(readText(await draw('Škoda Œuvre Žižka ž'))).not.toContain('[U+');
    expect(readEmbedded(await draw('Łódź Жук Ελλάς Ẽ'))).toContain('Łódź Жук Ελλάς Ẽ');
    expect(readEmbedded(await draw('中 Жук'))).toContain('[U+4E2D] Жук');
  });
});

test('the credit notes of a whole invoice sum up to the tax of that invoice', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(cuts, fc.integer({ min: 0, max: 10_000 }), (nets, taxBps) => {
      let [subtotalMinor, taxMinor] = [0, 0];
      for (const net of nets) {
        const sums = sumNote({ taxBps }, { subtotalMinor, taxMinor }, net);
        expect(sums.taxMinor).toBeGreaterThanOrEqual(0);
        expect(sums.totalMinor).toBe(net + sums.taxMinor);
        [subtotalMinor, taxMinor] = [subtotalMinor + net, taxMinor + sums.taxMinor];
      }
      expect(taxMinor).toBe(shareMinor(subtotalMinor, taxBps));
    }),
  );
});
