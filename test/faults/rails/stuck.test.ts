// A rail that always answers `pending`: the gateway polls for three days, then raises one alert.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { create, creepUntil, purchase } from '../../support/payments.ts';
import { listen } from '../../support/listen.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

/** This step is longer than a claim's lease and shorter than the interval of late polls. */
const LEASE = '30 seconds';

let app: TestApp;
let server: Server;
let verdict: Record<string, string> = { status: 'PENDING' };
let asked = 0;
beforeAll(async () => {
  server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString();
    const id = body ? JSON.parse(body).id : req.url?.split('/').at(-1);
    asked++;
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id, ...verdict }));
  });
  const GPO_URL = await listen(server);
  app = await startTestApp({ env: { GPO_URL, GPO_KEY: 'a key nobody checks here' } });
});
afterAll(async () => {
  server.close().closeAllConnections();
});

const countStuck = async () => (await app.sql(`select from events where type = 'payment.stuck'`)).length;
const readStatus = async () => (await app.sql('select status from payments'))[0].status;

/** Moves the clock, then waits until the next poll has run and is recorded. */
async function pollAfter(ms: number): Promise<void> {
  const before = asked;
  app.clock.leap(ms);
  await creepUntil(app, () => asked > before, 'the next poll');
  const isRecorded = `select from attempts
    where due_count = $1 and (due_at is null or due_at > $2::timestamptz + $3::interval)`;
  const values = [asked - 1, app.clock.now(), LEASE];
  await until(async () => (await app.sql(isRecorded, values)).length === 1, 'the poll being recorded');
}

test('a push that is pending for three days raises one payment.stuck, and is still Paid later', async () => {
  const { id } = await create(app, purchase('923000001'));
  await until(
    async () => (await app.sql(`select from attempts where status = 'Sent'`)).length === 1,
    'the push being sent',
  );
  for (const hours of [1, 22, 24, 24]) await pollAfter(hours * HOUR_MS);
  expect(await countStuck()).toBe(0);
  await pollAfter(2 * HOUR_MS);
  expect(await countStuck()).toBe(1);
  expect(await readStatus()).toBe('Processing');
  expect(await app.sql('select from attempts where due_at is null')).toHaveLength(1);

  // A sync without a new outcome raises no second alert.
  const sync = () => app.call(`/api/payments/${id}/sync`, { method: 'POST' });
  expect((await sync()).status).toBe(200);
  expect(await countStuck()).toBe(1);
  expect(await app.sql('select from attempts where due_at is null')).toHaveLength(1);
  verdict = { status: 'APPROVED', amount: '1500.00', currency: 'AOA', transactionId: '1' };
  expect((await sync()).status).toBe(200);
  expect(await readStatus()).toBe('Paid');
  expect(await countStuck()).toBe(1);
});
