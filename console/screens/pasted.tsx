// Pasted lists, one entry per line: splits them, and shows which lines the API refused.
import { FileField } from '../form.tsx';
import { noteWrong, sayFault } from '../faults.ts';
import { fill, findText } from '../words.ts';
import { textsOf, type AnyScreenProps } from '../parts.tsx';

/** Maximum number of characters quoted from a refused line. */
export const MAX_QUOTED = 120;

/** Maximum size of a whole form with a file, in bytes. */
const MAX_FILE_BYTES = 1_000_000;

/** A file field for the pasted lines, last in its form. @param name the text field that the file replaces */
export function LinesFile({ page, act, name }: { page: AnyScreenProps; act: string; name: string }) {
  const t = textsOf(page);
  return (
    <FileField
      page={page}
      act={act}
      name={name}
      label={t['pasted.file']}
      hint={t['pasted.file.hint']}
      accept=".csv,.txt,.tsv,text/csv,text/plain"
      maxBytes={MAX_FILE_BYTES}
      tooLarge={t['pasted.file.large']}
    />
  );
}

/** One line more than the API's largest limit, so that the API refuses the list and reports its limit. */
const MAX_LINES = 1_001;

/** A line of a pasted list, with its number in the text. */
export type PastedLine = { number: number; text: string };

/** The entries of a pasted list, up to the limit, and its line of headings if it begins with one. */
export function splitList(text: string): { heading: string | null; lines: PastedLine[] } {
  const lines: PastedLine[] = [];
  for (let at = 0, number = 1; at < text.length && lines.length < MAX_LINES; number++) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line !== '') lines.push({ number, text: line });
    at = end < 0 ? text.length : end + 1;
  }
  const [first] = lines;
  return first && isHeading(first.text) ? { heading: first.text, lines: lines.slice(1) } : { heading: null, lines };
}

/** Words of which a line of headings has at least one, in the languages of the console. */
const HEADINGS = /nome|nom\b|name|telem|telef|t[ée]l[ée]ph|phone|mobile|contact|montant|valor|amount|data|date|descri/i;

/** An entry has digits: an amount or a phone number. A line without them is a heading only if it names a column. */
const isHeading = (line: string) => !/\d/.test(line) && HEADINGS.test(line) && splitCells(line).length > 1;

export const splitLines = (text: string): PastedLine[] => splitList(text).lines;

/**
 * Splits a line that was copied from a table or read from a CSV file.
 * Tabs separate the cells, else semicolons, else commas. A comma between two digits belongs to a number.
 * A cell in quotation marks may contain separators.
 */
export function splitCells(line: string): string[] {
  const separator = ['\t', ';'].find((sign) => line.includes(sign)) ?? ',';
  const cells: string[] = [];
  let at = 0;
  while (at <= line.length) {
    const [whole = '', quoted] = /^\s*"((?:[^"]|"")*)"\s*/.exec(line.slice(at)) ?? [];
    const isCell = quoted !== undefined && [separator, undefined].includes(line[at + whole.length]);
    let end = at + (isCell ? whole.length : 0);
    while (end < line.length && !(line[end] === separator && !isDecimal(line, end))) end++;
    cells.push(isCell ? quoted.replaceAll('""', '"').trim() : line.slice(at, end).trim());
    at = end + 1;
  }
  return cells;
}

const isDecimal = (line: string, at: number) => /^\d,\d$/.test(line.slice(at - 1, at + 2));

/** Splits pasted phone numbers at new lines, commas and semicolons. */
export function splitPhones(text: string): string[] {
  return splitLines(text.replace(/[,;]/g, '\n')).map((line) => line.text);
}

type WrongProps = {
  page: AnyScreenProps;
  act: string;
  field: string;
  pointer: string;
  split(text: string): (string | PastedLine)[];
};

/** The most lines that the summary above the form names. The form itself shows all of them. */
const MAX_NAMED = 10;

/** The refused lines with their content and fault. @param pointer the API's pointer up to the line number */
export function WrongLines({ page, act, field, pointer, split }: WrongProps) {
  const { refused } = page;
  const t = textsOf(page);
  if (refused?.act !== act) return null;
  const typed = split(refused.typed[field] ?? '').map((each, nth) =>
    typeof each === 'string' ? { number: nth + 1, text: each } : each,
  );
  const wrong = Object.entries(refused.wrong).flatMap(([at, code]) => {
    const [, nth, name] = /^(\d+)(?:\/(.+))?$/.exec(at.slice(pointer.length + 1)) ?? [];
    return at.startsWith(`${pointer}/`) && nth !== undefined ? [{ at, nth: Number(nth), name, code }] : [];
  });
  if (wrong.length === 0) return null;
  const numbers = [...new Set(wrong.map(({ nth }) => typed[nth]?.number ?? nth + 1))].sort((a, b) => a - b);
  const message = numbers.slice(0, MAX_NAMED).join(', ') + (numbers.length > MAX_NAMED ? '…' : '');
  noteWrong(refused, { id: `${act}-${field}`, label: t['pasted.wrong'], message });
  return (
    <ul class="error wrong-lines">
      {wrong
        .toSorted((a, b) => a.nth - b.nth)
        .map(({ at, nth, name, code }) => (
          <li key={at}>
            <strong>{fill(t['pasted.line'], { n: typed[nth]?.number ?? nth + 1 })}</strong> “
            {typed[nth]?.text.slice(0, MAX_QUOTED)}”{name && ` · ${findText(t, `pasted.${name}`) ?? name}`}
            {t['colon']}
            {sayFault(page, { pointer: at, code })}
          </li>
        ))}
    </ul>
  );
}
