// The commands of docs/backup.md, run as they stand there: a PostgreSQL under a gateway that takes payments is set back to a moment.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readConfig } from '../server/config.ts';
import { freePort } from '../server/database/embedded/start.ts';
import { startNode, type RunningNode } from '../server/start.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUIDE = fileURLToPath(new URL('../docs/backup.md', import.meta.url));
/** Pays after a second. */
const PHONE = '900000000';

const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').toSorted() : [];
const bin = `/usr/lib/postgresql/${versions.at(-1)}/bin`;
if (versions.length === 0 || spawnSync('pgbackrest', ['version']).error) {
  console.log('skipped: there is no pgbackrest here, or no PostgreSQL in /usr/lib/postgresql');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'balcao-pitr-'));
chmodSync(folder, 0o777);
const env: Record<string, string> = {
  PATH: `${bin}:/usr/sbin:/usr/bin:/sbin:/bin`,
  PGDATA: join(folder, 'data'),
  PGHOST: folder,
  PGPORT: String(await freePort()),
  PGUSER: 'postgres',
  REPO: join(folder, 'repo'),
  REPO_PASS: 'a long random text of the bench',
  PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf'),
  PGBACKREST_LOG_PATH: join(folder, 'log'),
  PGBACKREST_LOCK_PATH: join(folder, 'lock'),
};
const blocks = readFileSync(GUIDE, 'utf8').split('```sh pitr\n').slice(1);
const [configure = '', first = '', more = '', back = ''] = blocks.map((part) => part.split('\n```')[0] as string);

/** As the user postgres, where root runs this. */
function run(script: string, also: Record<string, string> = {}): void {
  console.log(script.replaceAll(/^/gm, '  $ '));
  const isRoot = process.getuid?.() === 0;
  const [command = '', ...args] = [...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), 'bash', '-euc', script];
  const given = { ...env, ...also };
  // A PostgreSQL that is started keeps its output open: nobody waits for that to end.
  execFileSync(command, args, { cwd: folder, env: given, stdio: ['ignore', 'inherit', 'inherit'], timeout: 120_000 });
}

const databaseUrl = `postgres://postgres@127.0.0.1:${env['PGPORT']}/balcao`;
const SECRETS_KEYS = `bench:${Buffer.alloc(32, 7).toString('base64')}`;
const settings = { DATABASE_URL: databaseUrl, SECRETS_KEYS, PORT: '0', RATE_LIMIT_WRITE: '0', LOG_LEVEL: 'error' };
const startGateway = () => startNode(readConfig(settings));

/** Creates payments, and answers their ids once all are paid. */
async function pay({ url }: RunningNode, count: number): Promise<string[]> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'demo',
    client_secret: 'demo-secret',
  });
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (path: string, init: RequestInit = {}) =>
    (await (await fetch(url + path, { headers, ...init })).json()) as { id: string; status: string };
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: PHONE };
    const asked = { amount: 1500, currency: 'AOA', paymentType: 'GPO', reference: `B${Date.now()}${nth}`, metadata };
    ids.push((await call('/api/payments', { method: 'POST', body: JSON.stringify(asked) })).id);
  }
  for (const id of ids) while ((await call(`/api/payments/${id}`)).status !== 'Paid') await pause(100);
  return ids;
}

async function ask<T>(text: string): Promise<T[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows as T[];
}

let node: RunningNode | null = null;
try {
  run(`mkdir "$REPO" log lock
initdb -D "$PGDATA" -A trust >/dev/null
echo "port = $PGPORT
unix_socket_directories = '$PGHOST'" >> "$PGDATA/postgresql.conf"
pg_ctl -D "$PGDATA" -w -l postgres.log start
createdb balcao`);
  run(configure);
  run(first.replace('-w restart', '-w -l postgres.log restart'));
  node = await startGateway();
  const early = await pay(node, 5);
  run(more);
  const wanted = await pay(node, 5);
  const [{ target } = { target: '' }] = await ask<{ target: string }>('select now()::text as target');
  const lost = await pay(node, 5);
  await ask('delete from transactions');
  await node.stop();
  node = null;
  run(back.replace('-w start', '-w -l postgres.log start'), { TARGET: target });
  const paid = (await ask<{ id: string }>(`select id from payments where status = 'Paid'`)).map(({ id }) => id);
  if (![...early, ...wanted].every((id) => paid.includes(id)) || lost.some((id) => paid.includes(id)))
    throw new Error('the database is not as it was at that moment');
  const options = { cwd: ROOT, env: { ...process.env, ...settings }, encoding: 'utf8' } as const;
  const check = spawnSync(process.execPath, ['server/cli/main.ts', 'check'], options);
  console.log(check.stdout + check.stderr);
  if (check.status !== 0) throw new Error('the check found something');
  node = await startGateway();
  await pay(node, 1);
  console.log(`done: ${paid.length} payments of before ${target}, none of ${lost.length} after it; a new one was paid`);
} finally {
  await node?.stop();
  if (existsSync(join(folder, 'data/postmaster.pid'))) run('pg_ctl -D "$PGDATA" -w -m immediate stop');
  rmSync(folder, { recursive: true, force: true });
}
