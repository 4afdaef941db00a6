// Installs @balcao/client from its npm package, as merchants do, and runs one program on each supported runtime.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { readConfig } from '../../server/config.ts';
import { startNode } from '../../server/start.ts';
import { run } from './processes.ts';
import { RUNTIMES, type Runtime } from './runtimes.ts';
import { startTrouble } from './trouble.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENV = { PORT: '0', DRAIN_S: '0', CALLBACK_ALLOW_LOOPBACK: 'true', RATE_LIMIT_WRITE: '0', RATE_LIMIT_READ: '0' };

const asked = process.argv.slice(2);
const runtimes = RUNTIMES.filter(({ name }) => asked.length === 0 || asked.includes(name));
const folder = mkdtempSync(join(tmpdir(), 'balcao-runtimes-'));
const shop = join(folder, 'shop');
const config = readConfig({ ...ENV, DATA_DIR: join(folder, 'data') });
const gateway = await startNode(config, { log: pino({ level: 'silent' }) });
const trouble = await startTrouble();
const SHARED = ['answered', 'answered', 'answered', 'deadline_exceeded', 'answered'];
let [failed, nth] = [0, 0];
try {
  install();
  for (const runtime of runtimes) failed += await tryOn(runtime);
} finally {
  trouble.close();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);

/** Installs into a temporary folder, because the runtimes are too large for the repository's own packages. */
function install(): void {
  cpSync(fileURLToPath(new URL('shop', import.meta.url)), shop, { recursive: true });
  writeFileSync(join(shop, 'package.json'), '{"private":true,"type":"module"}');
  const packed = ['client', 'react'].map((name) => {
    const [{ filename }] = JSON.parse(
      run(join(ROOT, 'packages', name), 'npm', ['pack', '--json', '--pack-destination', folder]),
    );
    return join(folder, filename);
  });
  const flags = ['--no-audit', '--no-fund', '--omit=optional', '--ignore-scripts'];
  run(shop, 'npm', ['install', ...flags, ...packed, ...runtimes.flatMap(({ packages }) => packages)]);
}

type Difference = { step: string; got: unknown; wanted: unknown };

/** Runs the program on one runtime, prints the differences from the expected results, and returns their number. */
async function tryOn(runtime: Runtime): Promise<number> {
  const label = `${runtime.name} ${runtime.version(shop)}`;
  const startedAt = performance.now();
  const differences = await findDifferences(runtime).catch((error: unknown): Difference[] => [
    { step: 'all', got: error, wanted: 'to run' },
  ]);
  const tookS = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${label}: ${differences.length === 0 ? 'as promised' : `${differences.length} differ`} (${tookS} s)`);
  for (const difference of differences) console.log(difference);
  return differences.length;
}

async function findDifferences({ start, check }: Runtime): Promise<Difference[]> {
  const server = await start(shop);
  try {
    const ask = async (path: string, query: Record<string, string>): Promise<any> => {
      const answer = await fetch(`${server.url}${path}?${new URLSearchParams(query)}`);
      return answer.ok ? answer.json() : answer.text();
    };
    const share = (url: string) => ask('/share', { gateway: url });
    const late = `${trouble.url}/no_token_${++nth}`;
    const answered = [
      ...(await Promise.all([1, 2, 3].map(() => share(gateway.url)))),
      await share(late),
      await share(late),
    ];
    const query = { gateway: gateway.url, trouble: trouble.url, own: `${server.url}/notifications`, name: `R${nth}` };
    return [
      ...diff('one client, three requests; no token, then one', answered, SHARED),
      ...(await ask('/run', query)),
      ...diff('its own', (await check?.(server.url)) ?? null, null),
    ];
  } finally {
    await server.stop();
  }
}

function diff(step: string, got: unknown, wanted: unknown): Difference[] {
  return JSON.stringify(got) === JSON.stringify(wanted) ? [] : [{ step, got, wanted }];
}
