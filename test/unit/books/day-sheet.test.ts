import { describe, expect, test } from 'vitest';
import { drawDay } from '../../../server/books/day-sheet.ts';
import type { WholeDay } from '../../../server/books/days.ts';
import { readText } from '../../support/pdf.ts';

const DAY = '2026-11-27';

const settlement = (id: string, changes: object) => ({
  id,
  merchantId: 'm',
  rail: 'gpo',
  period: DAY,
  currency: 'AOA',
  day: DAY,
  status: 'explained',
  movementCount: 3,
  manualCount: 0,
  takenMinor: 150_000,
  feesMinor: 1_000,
  refundedMinor: 20_000,
  manualMinor: 0,
  creditedMinor: 100_000,
  bankFeesMinor: 5_000,
  closedAt: new Date('2026-11-27T20:00:01Z'),
  closedCount: 3,
  closedMinor: 129_000,
  ...changes,
});

const group = (byId: string | null, changes: object = {}) => ({
  settlementId: 's1',
  type: 'taken',
  currency: 'AOA',
  method: 'onetimepurchase',
  byKind: byId && 'user',
  byId,
  shiftId: null,
  isAfterShift: false,
  count: 1,
  minor: 50_000,
  feesMinor: 500,
  ...changes,
});

const explained = {
  id: 's1',
  reason: 'next_period',
  note: 'Vem com o dia 28',
  explainedById: 'u1',
  createdAt: new Date('2026-11-28T09:00:00Z'),
};

/** A day with two contracts, an explained and an unexplained difference, and a shift. */
const whole = (cashiers = 2): WholeDay =>
  ({
    day: DAY,
    settlements: [
      settlement('s1', {}),
      settlement('s2', { rail: 'ppr', period: '20784', status: 'differs', creditedMinor: 0, bankFeesMinor: 0 }),
    ],
    groups: [
      group(null),
      group('u1', { shiftId: 'h1' }),
      group('u1', { shiftId: 'h2' }),
      group('u1', { isAfterShift: true }),
      ...Array.from({ length: cashiers }, (_, nth) => group(`x${nth}`)),
    ],
    people: new Map([['u1', 'Ana Domingos']]),
    accounts: new Map(),
    shifts: new Map([
      ['h1', { id: 'h1', openedAt: new Date('2026-11-27T07:00:00Z'), closedAt: new Date('2026-11-27T16:00:00Z') }],
      [
        'h2',
        {
          id: 'h2',
          openedAt: new Date('2026-11-26T07:00:00Z'),
          closedAt: new Date('2026-11-27T05:30:00Z'),
          isPartial: true,
        },
      ],
    ]),
    explanations: new Map([['s1', explained]]),
  }) as unknown as WholeDay;

const to = {
  shop: { name: 'Loja da Ilha', taxId: '5417012345' },
  lang: 'pt',
  isSandbox: true,
  at: new Date('2026-11-28T09:05:00Z'),
} as const;

describe('the close of a day on paper', () => {
  test('has the shop, the sums, the contracts by name, cashiers, shifts and explanations', async () => {
    const text = readText(await drawDay(whole(), to));
    for (const part of ['Fecho do dia 27/11/2026', 'Loja da Ilha', 'NIF 5417012345', '3 000,00 Kz', '-240,00 Kz'])
      expect(text).toContain(part);
    const oneLine = text.replaceAll('\n', '');
    for (const part of ['Multicaixa Express', '20784', 'Ana Domingos', 'depois do fecho do turno'])
      expect(oneLine).toContain(part.replaceAll(' ', ' '));
    // The dash is a control character here, because the text is read as Latin-1.
    expect(oneLine).toMatch(/ 08:00 . 17:00.* 26\/11\/2026 08:00 . 27\/11\/2026 06:30 · parte deste dia/);
    expect(text).toContain('Vem com o dia 28. Ana Domingos, 28/11/2026 10:00.');
    expect(text).toContain('Por explicar.');
    expect(text).toContain('AMBIENTE DE TESTES');
  });

  test('is tagged for screen readers, in its language', async () => {
    for (const lang of ['pt', 'en', 'fr'] as const) {
      const pdf = (await drawDay(whole(), { ...to, lang })).toString('latin1');
      for (const part of [`/Lang (${lang})`, '/MarkInfo', '/S /Table', '/S /TR', '/S /TH', '/S /TD', '/S /H1'])
        expect(pdf).toContain(part);
    }
  });

  test('continues on further pages, each with its number', async () => {
    const pdf = await drawDay(whole(60), to);
    const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
    expect(pages).toBeGreaterThan(2);
    for (let nth = 1; nth <= pages; nth++) expect(readText(pdf)).toContain(`gina ${nth} de ${pages}`);
  });

  test('has equal bytes for equal contents', async () => {
    expect((await drawDay(whole(), to)).equals(await drawDay(whole(), to))).toBe(true);
  });
});
