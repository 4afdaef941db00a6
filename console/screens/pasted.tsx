// Pasted lists, one entry per line: splits them, and shows which lines the API refused.
import { FileField } from '../form.tsx';
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

/** The non-empty lines of a pasted list, up to the limit. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < MAX_LINES;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end).trim();
    if (line !== '') lines.push(line);
    at = end < 0 ? text.length : end + 1;
  }
  return lines;
}

/** The cells of a line that was copied from a table. Tabs or semicolons separate them. */
export function splitCells(line: string): string[] {
  return line.split(/[\t;]/).map((cell) => cell.trim());
}

/** Splits pasted phone numbers at new lines, commas and semicolons. */
export function splitPhones(text: string): string[] {
  return splitLines(text.replace(/[,;]/g, '\n'));
}

type WrongProps = { page: AnyScreenProps; act: string; field: string; pointer: string; split(text: string): string[] };

/** The refused lines with their content and fault. @param pointer the API's pointer up to the line number */
export function WrongLines({ page, act, field, pointer, split }: WrongProps) {
  const { refused } = page;
  const t = textsOf(page);
  if (refused?.act !== act) return null;
  const typed = split(refused.typed[field] ?? '');
  const wrong = Object.entries(refused.wrong).flatMap(([at, code]) => {
    const [, nth, name] = /^(\d+)(?:\/(.+))?$/.exec(at.slice(pointer.length + 1)) ?? [];
    return at.startsWith(`${pointer}/`) && nth !== undefined ? [{ at, nth: Number(nth), name, code }] : [];
  });
  if (wrong.length === 0) return null;
  return (
    <ul class="error wrong-lines" role="alert">
      {wrong
        .toSorted((a, b) => a.nth - b.nth)
        .map(({ at, nth, name, code }) => (
          <li key={at}>
            <strong>{fill(t['pasted.line'], { n: nth + 1 })}</strong> “{typed[nth]?.slice(0, MAX_QUOTED)}”
            {name && ` · ${findText(t, `pasted.${name}`) ?? name}`}
            {t['colon']}
            {findText(t, `wrong.${code}`) ?? t['wrong.other']}
          </li>
        ))}
    </ul>
  );
}
