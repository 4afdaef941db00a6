// npm run bench: what the gateway does beside what the machine can do at all, both measured in this very run.
import { parseArgs } from 'node:util';
import { benchBytes } from './bytes.ts';
import { benchBooks } from './books.ts';
import { benchCallbacks } from './callbacks.ts';
import { benchConsole } from './console.ts';
import { benchCreate } from './create.ts';
import { benchExport } from './export.ts';
import { benchFailover } from './failover.ts';
import { benchGrowth } from './growth.ts';
import { benchKills } from './kills.ts';
import { benchLists } from './lists.ts';
import { benchMemory } from './memory.ts';
import { benchMoneyKills } from './money-kills.ts';
import { benchPage } from './page.ts';
import { benchRead } from './read.ts';
import { benchReferences } from './references.ts';
import { benchRefunds } from './refunds.ts';
import { benchRestart } from './restart.ts';
import { benchReturns } from './returns.ts';
import { benchScan } from './scan.ts';
import { benchSecondNode } from './second-node.ts';
import { benchSms } from './sms.ts';
import { openStage, type Options, type Stage } from './stage.ts';
import { benchStreams } from './streams.ts';
import { describeMachine, isMet, showMarkdown, showTable, type Row } from './table.ts';

const PARTS: Record<string, (stage: Stage, options: Options) => Promise<Row[]>> = {
  create: benchCreate,
  refunds: benchRefunds,
  read: benchRead,
  scan: benchScan,
  streams: benchStreams,
  callbacks: benchCallbacks,
  kills: benchKills,
  sms: benchSms,
  bytes: benchBytes,
  page: benchPage,
  console: benchConsole,
  memory: benchMemory,
  books: benchBooks,
  lists: benchLists,
  growth: benchGrowth,
  // Last: a million rows stay behind.
  export: benchExport,
  references: benchReferences,
};

/** Minutes each, and only when they are named: not how fast it is, but what it survives. */
const TRIALS: typeof PARTS = {
  restart: benchRestart,
  returns: benchReturns,
  'second-node': benchSecondNode,
  'money-kills': benchMoneyKills,
  failover: benchFailover,
};

const ALL = { ...PARTS, ...TRIALS };

const USAGE = `npm run bench -- [${Object.keys(ALL).join('] [')}] [--markdown] [--profile folder] [--kills 100] [--rate 0.5] [--async] [--rows 200000]`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    markdown: { type: 'boolean' },
    profile: { type: 'string' },
    kills: { type: 'string' },
    rate: { type: 'string', default: '1' },
    rows: { type: 'string', default: '200000' },
    async: { type: 'boolean', default: false },
  },
});

const wanted = positionals.length > 0 ? positionals : Object.keys(PARTS);
if (wanted.some((name) => !ALL[name])) {
  console.error(USAGE);
  process.exit(2);
}
const options: Options = {
  kills: values.kills === undefined ? null : Number(values.kills),
  rate: Number(values.rate),
  isAsync: values.async,
  rows: Number(values.rows),
};
await runBench(wanted, values.markdown === true, values.profile ?? null, options);

async function runBench(
  parts: string[],
  asMarkdown: boolean,
  profileDir: string | null,
  options: Options,
): Promise<void> {
  const stage = await openStage(profileDir);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stage.close().finally(() => process.exit(130)));
  }
  const rows: Row[] = [];
  try {
    for (const part of parts) {
      console.error(`${part} …`);
      rows.push(...((await ALL[part]?.(stage, options)) ?? []));
    }
  } finally {
    await stage.close();
  }
  console.log(asMarkdown ? showMarkdown(rows) : showTable(rows));
  console.log(`\n${describeMachine()}`);
  const missed = rows.filter((row) => isMet(row) === false).length;
  if (missed > 0) console.log(`${missed} of ${rows.length} below target`);
}
