// The table of the bench: each figure beside a floor of the same run, as a ratio with its target.
import { availableParallelism, cpus, totalmem } from 'node:os';

export type Row = {
  name: string;
  ours: string;
  floor: string;
  ratio: number | null;
  /** `atLeast` for rates, `atMost` for times, memory and bytes; null has no target. */
  target: { atLeast: number } | { atMost: number } | null;
};

export function isMet({ ratio, target }: Row): boolean | null {
  if (!target || ratio === null) return null;
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

const HEADINGS = ['', 'ours', 'floor', 'ratio', 'target', ''];

function cellsOf(row: Row): string[] {
  const { name, ours, floor, ratio, target } = row;
  const wanted = target === null ? '' : 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  const met = isMet(row);
  return [name, ours, floor, ratio === null ? '' : ratio.toFixed(2), wanted, met === null ? '' : met ? 'ok' : 'MISSED'];
}

/** For a terminal: columns in line. */
export function showTable(rows: Row[]): string {
  const lines = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const show = (cells: string[]) =>
    cells.map((cell, column) => pad(cell, widths[column] ?? 0, column === 0)).join('  ');
  return lines.map((cells) => show(cells).trimEnd()).join('\n');
}

function pad(cell: string, width: number, isLeft: boolean): string {
  return isLeft ? cell.padEnd(width) : cell.padStart(width);
}

/** For docs/performance.md. */
export function showMarkdown(rows: Row[]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(HEADINGS),
    line(['---', '--:', '--:', '--:', '--:', '---']),
    ...rows.map((row) => line(cellsOf(row))),
  ].join('\n');
}

/** Whose figures these are. */
export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores (${model}), ${gigabytes} GB, ${process.platform}, Node ${process.version}`;
}

export function showRate(perSecond: number): string {
  return `${Math.round(perSecond)}/s`;
}

/** A size against its limit, both in the table's own columns: the floor of a size is its limit. */
export function weigh(name: string, size: number, limit: number, unit = 'B'): Row {
  const ours = `${Math.round(size)} ${unit}`;
  return { name, ours, floor: `${limit} ${unit}`, ratio: size / limit, target: { atMost: 1 } };
}
