// Reads a customer statement in SWIFT MT940. One file may have many statements and accounts.
import { isDay } from '../../../shared/luanda.ts';
import { collectLines, MAX_ROWS, tooManyLines, type Statement } from './statement.ts';

/** Value date, entry date, side, letter of the currency, amount, type and references. */
const MOVEMENT = /^(\d{6})(\d{4})?(R?[CD])([A-Z])?(\d{1,15},\d{0,3})([A-Z][A-Z0-9]{3})([^\n]{0,100})/;

/** Lines of the text of one movement. The standard has six. */
const MAX_TEXT_LINES = 50;

type Field = { line: number; tag: string; lines: string[] };

/** True if the text begins as a statement in MT940, with or without SWIFT's envelope. */
export const isMt940 = (head: string) => /^:20:/m.test(head) && /^(?:\s|\{|:20:)/.test(head);

/** Reads all statements of the file. @throws Problem validation_failed */
export function readMt940(text: string): Statement {
  const collector = collectLines();
  let account: { number: string | null; currency: string } = { number: null, currency: '' };
  const fields = splitFields(text);
  for (const [nth, { line, tag, lines }] of fields.entries()) {
    const [first = ''] = lines;
    if (tag === '20') account = { number: null, currency: '' };
    if (tag === '25' || tag === '25P') account = { ...account, number: first.trim() || null };
    if (tag === '60F' || tag === '60M')
      account = { ...account, currency: /^[CD]\d{6}([A-Z]{3})/.exec(first)?.[1] ?? '' };
    if (tag !== '61') continue;
    const next = fields[nth + 1];
    const about = next?.tag === '86' ? joinText(next.lines) : '';
    const found = readMovement(first);
    if (!found) {
      collector.skip(line, `${first} ${about}`, 'unreadable');
      continue;
    }
    // The second line of the field has further details of the bank.
    const description = about || lines.slice(1, MAX_TEXT_LINES).join(' ').trim();
    collector.add(account, { line, description, ...found });
  }
  return collector.finish('mt940', true);
}

/** Splits the text at its tags. A line without a tag continues the field before it. */
function splitFields(text: string): Field[] {
  const fields: Field[] = [];
  const lines = text.split(/\r\n|\r|\n/, MAX_ROWS + 1);
  if (lines.length > MAX_ROWS) throw tooManyLines();
  for (const [nth, line] of lines.entries()) {
    const [, tag, first = ''] = /^:(\d\d[A-Z]?):(.*)$/.exec(line) ?? [];
    if (tag) fields.push({ line: nth + 1, tag, lines: [first] });
    else if (!/^(?:-\}?|\{)/.test(line)) fields.at(-1)?.lines.push(line);
  }
  return fields;
}

/** Joins the lines of a field. Codes such as `?20` separate parts of a structured text. */
const joinText = (lines: string[]) =>
  lines
    .slice(0, MAX_TEXT_LINES)
    .join('')
    .replace(/\?\d\d/g, ' ')
    .replace(/ +/g, ' ')
    .trim();

function readMovement(text: string) {
  const [, value, entry, side, , amount = '', , references = ''] = MOVEMENT.exec(text) ?? [];
  const date = value && readDate(value, entry);
  if (!date) return null;
  // RC takes a credit back, and RD takes a debit back.
  const sign = side === 'D' || side === 'RC' ? '-' : '';
  const [own = '', bank = ''] = references.split('//');
  const reference = [bank, own].map((each) => each.trim()).find((each) => each && each !== 'NONREF') ?? null;
  return { date, decimal: `${sign}${amount.replace(/,$/, '').replace(',', '.')}`, reference };
}

/** The day on which the bank booked the movement. Its year is the year of the value date, or the year beside it. */
function readDate(value: string, entry: string | undefined): string | null {
  const valueDay = `20${value.slice(0, 2)}-${value.slice(2, 4)}-${value.slice(4)}`;
  if (!isDay(valueDay)) return null;
  if (!entry) return valueDay;
  const year = Number(valueDay.slice(0, 4));
  const [valueMonth, entryMonth] = [Number(value.slice(2, 4)), Number(entry.slice(0, 2))];
  const shift = entryMonth - valueMonth > 6 ? -1 : valueMonth - entryMonth > 6 ? 1 : 0;
  const entryDay = `${year + shift}-${entry.slice(0, 2)}-${entry.slice(2)}`;
  return isDay(entryDay) ? entryDay : valueDay;
}
