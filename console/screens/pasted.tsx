// What is pasted into one field, a line each: taken apart, and which lines are wrong.
import { FileField } from '../form.tsx';
import { fill, find } from '../words.ts';
import { textsOf, type AnyDrawn } from '../parts.tsx';

/** Enough of a line to find it. */
export const MAX_QUOTED = 120;

/** What a form may hold altogether. */
const MAX_FILE_BYTES = 1_000_000;

/** The same lines out of a file, last in its form. @param name of the field that they are pasted into */
export function LinesFile({ drawn, act, name }: { drawn: AnyDrawn; act: string; name: string }) {
  const t = textsOf(drawn);
  return (
    <FileField
      drawn={drawn}
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

/** One more than the API takes of any list, so that the API refuses the list and names its own limit. */
const MAX_LINES = 1_001;

/** The lines that are not empty, up to the limit. */
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

/** The cells of a line, as tables are copied: tabs or semicolons between them. */
export function splitCells(line: string): string[] {
  return line.split(/[\t;]/).map((cell) => cell.trim());
}

/** Phone numbers one below the other, or with commas between them. */
export function splitPhones(text: string): string[] {
  return splitLines(text.replace(/[,;]/g, '\n'));
}

type WrongProps = { drawn: AnyDrawn; act: string; field: string; pointer: string; split(text: string): string[] };

/** Which lines were refused and why, each with what it said. @param pointer before the line's number in the API's faults */
export function WrongLines({ drawn, act, field, pointer, split }: WrongProps) {
  const { refused } = drawn;
  const t = textsOf(drawn);
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
            {name && ` · ${find(t, `pasted.${name}`) ?? name}`}
            {t['colon']}
            {find(t, `wrong.${code}`) ?? t['wrong.other']}
          </li>
        ))}
    </ul>
  );
}
