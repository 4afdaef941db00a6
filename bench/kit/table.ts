// The table of the bench. Each row measures the gateway and its floor in turn, and compares their ratio with a target.
import { availableParallelism, cpus, totalmem } from 'node:os';
import { medianOf } from './load.ts';

export type Row = {
  name: string;
  unit: '/s' | 'ms' | 'KiB' | 'MiB' | 'B';
  /** The limit of the ratio: `atLeast` for rates, `atMost` for times, memory and bytes. */
  target: { atLeast: number } | { atMost: number };
  /** The number of rounds of a row: 3 by default, after a warm-up round. A row with one round has no warm-up. */
  rounds?: number;
  measure(): number | Promise<number>;
  floor(): number | Promise<number>;
};

export type Result = Pick<Row, 'name' | 'unit' | 'target'> & { ours: number; floor: number; ratio: number };

/** Measures floor and gateway in turn, because the machine's speed changes. The result contains medians. */
export async function runRow(row: Row): Promise<Result> {
  const { name, unit, target, rounds = 3 } = row;
  const measured: { ours: number; floor: number }[] = [];
  const warmUps = rounds === 1 ? 0 : 1;
  for (let round = 0; round < rounds + warmUps; round++) {
    const floor = await row.floor();
    measured.push({ floor, ours: await row.measure() });
  }
  const counted = measured.slice(warmUps);
  return {
    name,
    unit,
    target,
    ours: medianOf(counted.map(({ ours }) => ours)),
    floor: medianOf(counted.map(({ floor }) => floor)),
    ratio: medianOf(counted.map(({ ours, floor }) => ours / floor)),
  };
}

export function isMet({ ratio, target }: Result): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost;
}

const HEADINGS = ['', 'ours', 'floor', 'ratio', 'target', ''];

function cellsOf(result: Result): string[] {
  const { name, ours, floor, unit, ratio, target } = result;
  const wanted = 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return [name, show(ours, unit), show(floor, unit), ratio.toFixed(2), wanted, isMet(result) ? 'ok' : 'MISSED'];
}

function show(figure: number, unit: Row['unit']): string {
  const digits = unit === 'ms' && figure < 10 ? 2 : unit === 'KiB' ? 1 : 0;
  return `${figure.toFixed(digits)}${unit === '/s' ? '' : ' '}${unit}`;
}

/** Writes a progress line for one measured row. */
export function showResult(result: Result): string {
  const { name, ours, floor, unit, ratio } = result;
  return `  ${name}: ${show(ours, unit)} to ${show(floor, unit)}, ${ratio.toFixed(2)}`;
}

/** Aligns the columns of a table for a terminal. */
export function showColumns(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n');
}

export function showTable(results: Result[]): string {
  return showColumns([HEADINGS, ...results.map(cellsOf)]);
}

/** Writes the table for docs/performance.md. */
export function showMarkdown(results: Result[]): string {
  const lines = [HEADINGS, ['---', '--:', '--:', '--:', '--:', '---'], ...results.map(cellsOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() || process.arch;
  return `${availableParallelism()} cores (${model}), ${gigabytes} GB, ${process.platform}, Node ${process.version}`;
}
