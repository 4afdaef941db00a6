// Draws the close of a day as A4 pages: sums, accounts, methods, cashiers, differences and explanations.
import { dayStatusOf } from '../../shared/books.ts';
import type { Language } from '../../shared/language.ts';
import { showDay, showMoment, showSpanOn } from '../../shared/luanda.ts';
import {
  DAY_STATUS_WORDS,
  EXPLANATION_WORDS,
  OWN_ACCOUNT_WORDS,
  PAYMENT_METHOD_WORDS,
  type WordTable,
} from '../../shared/state-words.ts';
import { nameCurrency, showAmount, showMoney } from '../../shared/money.ts';
import {
  BRAND,
  breakPage,
  drawFooters,
  drawOrnament,
  drawPdf,
  drawRule,
  drawTable,
  MARGIN,
  PAGE_WIDTH,
  QUIET,
  RIGHT,
  WARNING,
  WIDTH,
  write,
  type Sheet,
  type TableColumn,
} from '../exports/pdf.ts';
import type { Merchant } from '../merchants/entities.ts';
import { changeAfterClose, differenceOf } from './close.ts';
import {
  closeOf,
  sumByCashier,
  sumByMethod,
  sumByShift,
  sumDay,
  sumGroups,
  type DaySums,
  type MovementSums,
  type SumOf,
} from './day-sums.ts';
import { DAY_TEXTS } from './day-texts.ts';
import type { WholeDay } from './days.ts';
import type { Settlement } from './entities.ts';

type To = {
  shop: Pick<Merchant, 'name' | 'taxId'>;
  lang: Language;
  isSandbox: boolean;
  /** The time of the request, which the footer shows. */
  at: Date;
};

type Paper = { sheet: Sheet; whole: WholeDay; t: (typeof DAY_TEXTS)[Language] } & To;

/** Draws the close of a day. */
export function drawDay(whole: WholeDay, to: To): Promise<Buffer> {
  const t = DAY_TEXTS[to.lang];
  const title = titleOf(whole, t);
  return drawPdf({ title, author: to.shop.name, createdAt: to.at, lang: to.lang }, (sheet) => {
    const paper = { sheet, whole, t, ...to };
    let y = drawHead(paper, title);
    for (const sums of sumDay(whole.settlements)) y = drawCurrency(paper, sums, y);
    y = drawDifferences(paper, y);
    drawSignature(paper, y);
    const made = fill(t.made, { at: showMinute(to.at) });
    drawFooters(sheet, (n, all) => [`${to.shop.name} · ${title} · ${made}`, fill(t.page, { n, all })]);
  });
}

const fill = (text: string, values: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** The time to the minute: `30/11/2026 09:05`. */
const showMinute = (at: Date) => showMoment(at).slice(0, 16);
const titleOf = ({ day }: WholeDay, t: Paper['t']) => fill(t.title, { day: showDay(day) });

/** Draws the shop, the title and the status. Returns the bottom position. */
function drawHead({ sheet, whole, t, shop, lang, isSandbox }: Paper, title: string): number {
  drawOrnament(sheet, () => sheet.rect(0, 0, PAGE_WIDTH, 8).fill(BRAND));
  if (isSandbox) write(sheet, t.test, { y: 28, size: 10, color: WARNING, bold: true });
  write(sheet, title, { y: 50, size: 20, bold: true, tag: 'H1' });
  write(sheet, shop.name, { y: sheet.y + 4, size: 12, bold: true });
  if (shop.taxId) write(sheet, `NIF ${shop.taxId}`, { y: sheet.y + 1, size: 10, color: QUIET });
  const { settlements } = whole;
  const closedAt = closeOf(settlements);
  const status = DAY_STATUS_WORDS[dayStatusOf(settlements)][lang];
  const when = closedAt ? fill(t.closed, { at: showMinute(closedAt) }) : t.running;
  write(sheet, `${status} · ${when}`, { y: sheet.y + 6, size: 10 });
  return sheet.y + 12;
}

/** Draws the sums and tables of one currency. Returns the bottom position. */
function drawCurrency(paper: Paper, sums: DaySums, top: number): number {
  const { sheet, whole, t } = paper;
  const { currency } = sums;
  let y = drawSums(paper, sums, top);
  const own = whole.settlements.filter((each) => each.currency === currency);
  const groups = whole.groups.filter((each) => each.currency === currency);
  y = drawTable(sheet, { title: `${t.accounts} (${nameCurrency(currency)})`, ...accountsTable(paper, own, sums) }, y);
  const tables = [
    { title: t.methods, head: t.method, rows: sumByMethod(groups), nameOf: nameMethod(paper) },
    { title: t.cashiers, head: t.cashier, rows: sumByCashier(groups), nameOf: nameCashier(paper) },
    // Without shifts, this table would repeat the one above.
    ...(groups.some(({ shiftId, isAfterShift }) => shiftId || isAfterShift)
      ? [{ title: t.shifts, head: t.shift, rows: sumByShift(groups), nameOf: nameShift(paper) }]
      : []),
  ];
  for (const { title, head, rows, nameOf } of tables) {
    const table = movementsTable(paper, { head, rows, nameOf, total: sumGroups(groups) }, currency);
    y = drawTable(sheet, { title: `${title} (${nameCurrency(currency)})`, ...table }, y);
  }
  return y;
}

/** Draws the sums of all accounts: how the expected credit adds up, and the difference. */
function drawSums({ sheet, t }: Paper, sums: DaySums, top: number): number {
  const { currency } = sums;
  const lines: [string, number, 'always' | 'ifAny' | 'bold'][] = [
    [t.taken, sums.takenMinor, 'always'],
    [t.fees, -sums.feesMinor, 'always'],
    [t.bankFees, -sums.bankFeesMinor, 'ifAny'],
    [t.refunded, -sums.refundedMinor, 'always'],
    [t.expected, sums.expectedMinor, 'bold'],
    [t.credited, sums.creditedMinor, 'always'],
    [t.awaited, sums.awaitedMinor, 'ifAny'],
    [t.difference, sums.differenceMinor, 'bold'],
    [t.explained, sums.explainedMinor, 'ifAny'],
    [t.unexplained, sums.unexplainedMinor, 'ifAny'],
    [t.manual, sums.manualMinor, 'ifAny'],
  ];
  let y = top;
  drawRule(sheet, y);
  y += 8;
  for (const [name, minor, shown] of lines) {
    if (shown === 'ifAny' && minor === 0) continue;
    y = breakPage(sheet, y, 18);
    const style = { y, bold: shown === 'bold', size: 11 };
    write(sheet, name, { ...style, width: 260 });
    write(sheet, showMoney(minor || 0, currency), { ...style, x: MARGIN + 260, width: WIDTH - 260, align: 'right' });
    y += 18;
  }
  return y + 10;
}

/** The account of a settlement in words, with the rail's period if it is not the day. */
function nameAccount({ whole, t, lang }: Paper, { rail, period, day }: Settlement): string {
  const name = (OWN_ACCOUNT_WORDS as Partial<WordTable>)[rail]?.[lang] ?? whole.accounts.get(rail)?.label ?? rail;
  return period === day ? name : `${name} · ${fill(t.period, { period })}`;
}

type Table = { columns: TableColumn[]; rows: string[][]; total: string[] };

/** The width of the column with the number of movements. */
const COUNT = 30;

function accountsTable(paper: Paper, own: Settlement[], all: DaySums): Table {
  const { t } = paper;
  const hasBankFees = own.some(({ bankFeesMinor }) => bankFeesMinor !== 0);
  const bankFees = hasBankFees ? [t.bankFees] : [];
  const heads = [t.taken, t.fees, ...bankFees, t.refunded, t.due, t.credited, t.difference];
  const cellsOf = (sums: DaySums) => [
    String(sums.count),
    ...[
      sums.takenMinor,
      sums.feesMinor,
      ...(hasBankFees ? [sums.bankFeesMinor] : []),
      sums.refundedMinor,
      sums.expectedMinor,
      sums.creditedMinor,
      sums.differenceMinor,
    ].map((minor) => showAmount(minor, sums.currency)),
  ];
  return {
    columns: columnsOf(t.account, t.count, heads),
    rows: own.map((one) => [nameAccount(paper, one), ...sumDay([one]).flatMap(cellsOf)]),
    total: [t.total, ...cellsOf(all)],
  };
}

function columnsOf(first: string, count: string, amounts: string[]): TableColumn[] {
  const each = amounts.length > 6 ? 51 : 58;
  const name = { title: first, width: WIDTH - COUNT - each * amounts.length };
  const number = (title: string, width: number): TableColumn => ({ title, width, isNumber: true });
  return [name, number(count, COUNT), ...amounts.map((title) => number(title, each))];
}

type MovementRows = { head: string; rows: SumOf[]; nameOf(one: SumOf['one']): string; total: MovementSums };

function movementsTable({ t }: Paper, { head, rows, nameOf, total }: MovementRows, currency: string): Table {
  const cellsOf = ({ count, takenMinor, feesMinor, refundedMinor, manualMinor }: MovementSums) => [
    String(count),
    ...[takenMinor, feesMinor, refundedMinor, manualMinor].map((minor) => showAmount(minor, currency)),
  ];
  return {
    columns: columnsOf(head, t.count, [t.taken, t.fees, t.refunded, t.manual]),
    rows: rows.map(({ one, sums }) => [nameOf(one), ...cellsOf(sums)]),
    total: [t.total, ...cellsOf(total)],
  };
}

const nameMethod =
  ({ lang }: Paper) =>
  ({ method }: SumOf['one']) =>
    PAYMENT_METHOD_WORDS[method][lang];

const nameCashier =
  ({ whole, t }: Paper) =>
  ({ byId }: SumOf['one']) =>
    byId === null ? t.payer : (whole.people.get(byId) ?? t.unknown);

/** The cashier of a shift with its times, or why the movements count in no shift. */
const nameShift = (paper: Paper) => (one: SumOf['one']) => {
  const { whole, t } = paper;
  const shift = one.shiftId ? whole.shifts.get(one.shiftId) : undefined;
  const ends = shift && showSpanOn(whole.day, shift.openedAt, shift.closedAt ?? null);
  const part = shift?.isPartial ? ` · ${t.part}` : '';
  return `${nameCashier(paper)(one)} · ${ends ?? (one.isAfterShift ? t.afterShift : t.noShift)}${part}`;
};

/** Draws each difference with its explanation, and the settlements that changed after their close. */
function drawDifferences(paper: Paper, top: number): number {
  const { sheet, whole, t } = paper;
  const notes = whole.settlements.flatMap((one) => notesOf(paper, one));
  if (notes.length === 0) return top;
  let y = breakPage(sheet, top, 50);
  write(sheet, t.differences, { y, size: 12, bold: true, tag: 'H2' });
  y = sheet.y + 4;
  for (const note of notes) {
    y = breakPage(sheet, y, 40);
    write(sheet, note, { y, size: 9, lines: 6 });
    y = sheet.y + 4;
  }
  return y + 8;
}

function notesOf(paper: Paper, one: Settlement): string[] {
  const { whole, t, lang } = paper;
  const { status, currency } = one;
  const name = nameAccount(paper, one);
  const found: string[] = [];
  if (status === 'differs' || status === 'explained') {
    const explained = status === 'explained' ? whole.explanations.get(one.id) : undefined;
    const text = explained
      ? fill(t.explainedBy, {
          reason: [EXPLANATION_WORDS[explained.reason][lang], explained.note].filter(Boolean).join(': '),
          name: whole.people.get(explained.explainedById) ?? t.unknown,
          at: showMinute(explained.createdAt),
        })
      : t.notExplained;
    found.push(`${name}: ${showMoney(differenceOf(one), currency)}. ${text}`);
  }
  const change = changeAfterClose(one);
  if (change) {
    const amount = showMoney(change.closedMinor, currency);
    found.push(`${name}: ${fill(t.changed, { n: change.count, amount })}`);
  }
  return found;
}

/** Draws the lines on which the person who checked the day signs. */
function drawSignature({ sheet, t }: Paper, top: number): void {
  const y = breakPage(sheet, top, 56) + 34;
  const date = RIGHT - 130;
  drawOrnament(sheet, () => {
    sheet
      .moveTo(MARGIN, y)
      .lineTo(date - 20, y)
      .moveTo(date, y)
      .lineTo(RIGHT, y)
      .lineWidth(0.75)
      .strokeColor(QUIET);
    sheet.stroke();
  });
  write(sheet, t.checked, { y: y + 4, size: 8, color: QUIET, width: 200 });
  write(sheet, t.date, { y: y + 4, x: date, size: 8, color: QUIET, width: 130 });
}
