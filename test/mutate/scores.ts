// What the mutation runs found, as one Markdown table: kept per group beside the compiled files, read together.
import { globSync, readFileSync, writeFileSync } from 'node:fs';

const REPORTS = 'node_modules/.cache/mutate';
const SURVIVORS = `${REPORTS}/survivors.txt`;

type Place = { line: number; column: number };
type Mutant = {
  status: string;
  statusReason?: string;
  replacement?: string;
  location: { start: Place; end: Place };
  coveredBy?: string[];
};
type File = { source: string; mutants: Mutant[] };
type Count = { killed: number; survived: number; uncovered: number; ignored: number };

/** A mutant that ends in a loop is noticed, as one that fails a test is. An error outside of tests says nothing. */
const NOTICED = ['Killed', 'Timeout'];

export function printScores(): void {
  const counts = new Map<string, Count>();
  const survivors: string[] = [];
  for (const [file, { source, mutants }] of readReports()) {
    const count = { killed: 0, survived: 0, uncovered: 0, ignored: 0 };
    for (const { status } of mutants) {
      if (NOTICED.includes(status)) count.killed++;
      else if (status === 'Survived') count.survived++;
      else if (status === 'NoCoverage') count.uncovered++;
      else count.ignored++;
    }
    const missed = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
    survivors.push(...missed.map((mutant) => describeMutant(file, source, mutant)));
    counts.set(file, count);
  }
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = { killed: 0, survived: 0, uncovered: 0, ignored: 0 };
  for (const [, count] of rows) for (const key of Object.keys(total) as (keyof Count)[]) total[key] += count[key];
  console.log('\n| File | Killed | Survived | No coverage | Score |\n| --- | ---: | ---: | ---: | ---: |');
  for (const [file, count] of [...rows, ['**All**', total] as const]) {
    const { killed, survived, uncovered } = count;
    console.log(
      `| ${file} | ${killed} | ${survived} | ${uncovered} | ${percent(killed, killed + survived + uncovered)} |`,
    );
  }
  writeFileSync(SURVIVORS, `${survivors.join('\n')}\n`);
  console.log(`\nWhat survived is in ${SURVIVORS}.`);
}

/** `file:line:column  what stood there ==> what nobody missed (tests that ran over it)` */
function describeMutant(file: string, source: string, { location, replacement = '', coveredBy = [] }: Mutant): string {
  const { start, end } = location;
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const length = end.line === start.line ? end.column - 1 : undefined;
  const stood = [lines[0]!.slice(start.column - 1, length), ...lines.slice(1)].join(' ');
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 100);
  return `${file}:${start.line}:${start.column}  ${short(stood)}  ==>  ${short(replacement)}  (${coveredBy.length})`;
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}

function* readReports(): Generator<[string, File]> {
  for (const report of globSync(`${REPORTS}/*.json`)) {
    const { files } = JSON.parse(readFileSync(report, 'utf8')) as { files: Record<string, File> };
    yield* Object.entries(files);
  }
}
