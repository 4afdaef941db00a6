// The screens of a payment by reference, from its creation until after its payment.
import { describe, expect, test } from 'vitest';
import { beginState } from '../../../shared/payer.ts';
import { describeScreen } from '../../../shared/screen.ts';
import { atmAddress } from '../../../shared/details.ts';
import { OPEN, REFERENCE, referenceWith, sessionWith, withTexts } from '../../support/checkout.ts';

const nowMs = Date.parse('2026-03-02T09:00:10.000Z');
const describeAt = (part: Parameters<typeof sessionWith>[0]) =>
  describeScreen(beginState(withTexts(sessionWith(part))), nowMs);
const valuesOf = (part: Parameters<typeof sessionWith>[0]) =>
  describeAt(part).details?.rows.map(({ label, groups }) => `${label}: ${groups.join(' ')}`);

const ONE = { count: 1, amountText: '500,00 Kz' };
const MANY = { count: 4, amountText: '2 000,00 Kz' };

describe('the screen of a payable reference', () => {
  test('shows the entity, the digits in groups of three, the amount and the deadline', () => {
    expect(describeAt(REFERENCE)).toMatchObject({ name: 'reference', amount: '12\u00a0500,00\u00a0Kz', rows: [] });
    expect(valuesOf(REFERENCE)).toEqual([
      'Entidade: 00999',
      'Referência: 017 756 991',
      'Montante: 12\u00a0500,00\u00a0Kz',
      'Pagar até: 2 de Abril de 2026 às 10:00',
    ]);
  });
  test('copies the digits without spaces, and the amount as a number', () => {
    const copies = describeAt(REFERENCE).details?.rows.map((row) => row.copies);
    expect(copies).toEqual(['00999', '017756991', '12500.00', null]);
  });
  test('shows 15 digits in five groups', () => {
    expect(valuesOf(referenceWith({ reference: '017756991000456' }))).toContain('Referência: 017 756 991 000 456');
  });
  test('shows that the payer chooses the amount, and has no button to copy the amount', () => {
    const open = referenceWith(OPEN, { amount: '0.00', amountText: '0,00 Kz' });
    expect(describeAt(open).amount).toBe('O montante que quiser');
    expect(describeAt(open).details?.rows[2]).toMatchObject({ groups: ['O montante que quiser'], copies: null });
    expect(JSON.stringify(describeAt(open).details)).not.toContain('0,00');
  });
  test('shows no deadline if the reference has no expiry', () => {
    expect(valuesOf(referenceWith({}, { expiresAt: '2099-12-31T23:59:59.000Z' }))).toHaveLength(3);
  });
  test('shows where to pay, with the labels of the cash machine', () => {
    const places = describeAt({ ...REFERENCE, lang: 'en' }).details?.places;
    expect(places?.[0]).toEqual(['ATM', 'Pagamentos › Pagamento por Referência']);
    expect(places).toHaveLength(4);
  });
});

describe('the screen of a reference that is not registered yet', () => {
  test('shows the digits, but no copy buttons and no places to pay', () => {
    const screen = describeAt(referenceWith({ isRegistered: false }));
    expect(screen).toMatchObject({ name: 'activating', details: { places: [] } });
    expect(screen.lines.join(' ')).toContain('Ainda não a pague');
    expect(screen.details?.rows[1]).toMatchObject({ groups: ['017', '756', '991'], copies: null });
  });
});

describe('the screen of a paid reference', () => {
  test('is a receipt for a Dynamic reference', () => {
    const screen = describeAt(
      referenceWith({ status: 'Paid', received: ONE }, { status: 'Paid', paidAtText: '2 de Março', transaction: '44' }),
    );
    expect(screen).toMatchObject({ name: 'paid', details: null, amount: '500,00 Kz', count: '' });
    expect(screen.rows).toEqual([
      ['Entidade', '00999'],
      ['Referência', '017 756 991'],
      ['Data (Luanda)', '2 de Março'],
      ['N.º da transacção', '44'],
    ]);
  });
  test.each([
    [ONE, 'Recebemos 500,00 Kz.'],
    [MANY, 'Recebemos 4 pagamentos, no total de 2 000,00 Kz.'],
  ])('shows that a Charging reference can be paid again: %o', (received, count) => {
    const screen = describeAt(referenceWith({ type: 'Charging', received }, { status: 'Paid', isFinal: false }));
    expect(screen).toMatchObject({ name: 'received', tone: 'success', count });
    expect(screen.lines).not.toContain(count);
    expect(screen.details?.rows[1]?.copies).toBe('017756991');
  });
  test('is a receipt of the sum, without transaction numbers, after many payments', () => {
    const closed = { status: 'Canceled', received: MANY } as const;
    const screen = describeAt(referenceWith({ ...OPEN, ...closed }, { status: 'Paid', transaction: '44' }));
    expect(screen).toMatchObject({ name: 'paid', amount: '2 000,00 Kz' });
    expect(screen.lines).toContain('Recebemos 4 pagamentos, no total de 2 000,00 Kz.');
    expect(JSON.stringify(screen.rows)).not.toContain('44');
  });
  test('says that the money was late', () => {
    const part = { status: 'Paid', late: true } as const;
    const { name, lines } = describeAt(referenceWith({ status: 'Expired', received: ONE }, part));
    expect(name).toBe('paid');
    expect(lines.join(' ')).toContain('fora do prazo');
  });
  test('warns against a second payment if the received amount differs', () => {
    expect(describeAt(referenceWith({ type: 'Charging', received: ONE })).name).toBe('short');
    const screen = describeAt(referenceWith({ received: ONE }));
    expect(screen).toMatchObject({ name: 'short', tone: 'warning', details: null });
    expect(screen.lines).toEqual(['Não volte a pagar: fale com a loja sobre a sua encomenda.', 'Recebemos 500,00 Kz.']);
  });
});

describe('the screen of an unpaid reference that ended', () => {
  test.each(['Canceled', 'Expired'] as const)('says not to pay it (%s)', (status) => {
    const { details, lines, reference } = describeAt(referenceWith({ status }, { status }));
    expect(details).toBeNull();
    expect(reference).toBe('017 756 991');
    expect(lines[0]).toMatch(/^Não pague esta referência.*fica registado/);
  });
  test('shows the money that arrived', () => {
    const { lines } = describeAt(referenceWith({ status: 'Expired', received: ONE }, { status: 'Expired' }));
    expect(lines).toContain('Recebemos 500,00 Kz.');
  });
});

test('atmAddress leads to the cash machine of the sandbox with the digits', () => {
  expect(atmAddress(REFERENCE.ppr)).toBe('/sandbox/atm?entity=00999&reference=017756991');
});
