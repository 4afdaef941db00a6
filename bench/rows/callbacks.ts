// Callbacks of a hundred merchants: the time from the commit to the merchant, and the rate for a backlog.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { hashSecret } from '../../server/oauth/clients.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { readCommits, type BenchFixture } from '../kit/fixture.ts';
import { percentileOf } from '../kit/load.ts';
import type { Arrival } from '../kit/processes/merchant.ts';
import type { Row } from '../kit/table.ts';
import { createCode, type Code } from './code.ts';
import { openFloor } from './creation.ts';

const MERCHANTS = 100;
const PACE = { perSecond: 50, count: 250 };
const BACKLOG = 3_000;
const FLOOR_LOAD = { concurrency: 64, durationMs: 2_000 };

export async function openCallbacks(fixture: BenchFixture): Promise<Row[]> {
  const { url, database } = fixture;
  const client = fixture.start('bench/kit/processes/client.ts');
  const server = fixture.start('bench/kit/processes/merchant.ts');
  const floor = await openFloor(fixture);
  const serverUrl = await server.call<string>('listen');
  const codes: Code[] = [];
  for (let nth = 0; nth < MERCHANTS; nth++) codes.push(await addMerchant(fixture, `${serverUrl}/m${nth}`));
  const attemptIds = codes.map(({ attemptId }) => attemptId);
  const paymentIds = codes.map(({ paymentId }) => paymentId);
  /** Measures the milliseconds from the commit of each transaction to the callback's arrival, as p99. */
  const latencyOf = async (run: () => Promise<string[]>) => {
    const ids = await run();
    const arrivals = await server.call<Arrival[]>('collect', { count: ids.length });
    const commits = await readCommits(database, COMMITTED, [ids]);
    return percentileOf(
      arrivals.map(({ id, at }) => at - (commits.get(id) ?? Number.NaN)),
      0.99,
    );
  };
  const backlogRate = async () => {
    await server.call('collect', { count: 0 });
    await database.query(MAKE_DUE);
    const [first] = await server.call<Arrival[]>('collect', { count: 1 });
    while ((await countDue(fixture)) > 0) await pause(5);
    const { rows } = await database.query<{ at: number }>(LAST_DELIVERY);
    return (BACKLOG * 1000) / ((rows[0]?.at ?? Number.NaN) - (first?.at ?? Number.NaN));
  };
  return [
    {
      name: `commit to merchant, p99, ${PACE.perSecond} scans/s of ${MERCHANTS} merchants ÷ a transaction and a POST`,
      unit: 'ms',
      target: { atMost: 5 },
      measure: () => latencyOf(() => client.call('scanPaced', { url, attemptIds, ...PACE })),
      floor: () => latencyOf(() => floor.call('pay', { ids: paymentIds, url: serverUrl, ...PACE })),
    },
    {
      name: `callbacks of a backlog of ${BACKLOG} ÷ POSTs by node:http, 64 concurrent`,
      unit: '/s',
      target: { atLeast: 0.33 },
      measure: backlogRate,
      floor: () => floor.call('post', { url: serverUrl, ...FLOOR_LOAD }),
    },
  ];
}

/** Creates a merchant with a callback URL and a QR code. */
async function addMerchant({ url, database }: BenchFixture, callbackUrl: string): Promise<Code> {
  const id = randomUUID();
  const [clientId, secret] = [`bench-${id.slice(0, 13)}`, randomBytes(32).toString('base64url')];
  await database.query(INSERT_MERCHANT, [id]);
  await database.query(INSERT_CLIENT, [clientId, id, hashSecret(secret), SCOPES]);
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const issued = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const endpoint = JSON.stringify({ url: callbackUrl, accessKey: 'the-key-of-the-bench' });
  const set = await fetch(`${url}/api/merchants/${id}/callback`, { method: 'PUT', headers, body: endpoint });
  if (set.status !== 200) throw new Error(`no callback: ${await set.text()}`);
  return createCode({ url, database }, token);
}

const INSERT_MERCHANT = `
insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
values ($1, 'Bench', '{}', '{}', '{demo-merchant}', '{demo-pos}', now())`;
const INSERT_CLIENT = `
insert into clients (id, merchant_id, name, secret_hash, scopes, created_at) values ($1, $2, 'bench', $3, $4, now())`;

const COMMITTED = 'select provider_ref as id, xmin as xid from transactions where provider_ref = any($1)';

/** SQL that makes the newest callbacks of each merchant due again. */
const MAKE_DUE = `
update deliveries set status = 'Pending', due_at = created_at, tries = 0, tries_since = null
where seq in (
  select d.seq from endpoints e cross join lateral (
    select seq from deliveries where endpoint_id = e.id order by seq desc limit ${BACKLOG / MERCHANTS}) d
  where e.kind = 'callback')`;
const LAST_DELIVERY = 'select (extract(epoch from max(delivered_at)) * 1000)::float8 as at from deliveries';

async function countDue({ database }: BenchFixture): Promise<number> {
  const { rows } = await database.query<{ due: number }>(
    'select count(*)::int as due from deliveries where due_at is not null',
  );
  return rows[0]?.due ?? 0;
}
