// A simulator on the tables of the version before authorizations, codes and terminals continues that version's work.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createGpoRail } from '../../../../server/providers/gpo/client.ts';
import { startSimulator } from '../../../simulator/start.ts';
import { testClock } from '../../../../test/support/clock.ts';
import { freshDatabase, querySql } from '../../../../test/support/database.ts';
import { RAIL_KEY } from '../../../../test/support/rail.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { gpoById } from '../../../../test/support/lone-rail.ts';

const OLD_TABLES = `
  drop schema if exists simulator cascade;
  create schema simulator;
  create table simulator.purchases (
    id text primary key, merchant_id text not null, terminal_id text not null, reference text not null,
    phone text not null, amount text not null, currency text not null, description text, status text not null,
    reason text, transaction_id text, transaction_number text, clearing_period text, calls integer not null default 1,
    created_at timestamptz not null, expires_at timestamptz not null, decided_at timestamptz, verdict text not null,
    decide_at timestamptz);
  create table simulator.notifications (
    seq bigint generated always as identity primary key, id text not null,
    purchase_id text not null references simulator.purchases, body text not null, created_at timestamptz not null,
    attempts integer not null default 0, due_at timestamptz, is_held boolean not null default false,
    delivered_at timestamptz);
`;

test('the simulator decides an order and opens a terminal that an older version stored', async () => {
  const clock = testClock();
  const [database, gateway] = [await freshDatabase(), await startReceiver()];
  await querySql(database.url, OLD_TABLES);
  const id = randomUUID();
  await querySql(
    database.url,
    `insert into simulator.purchases (id, merchant_id, terminal_id, reference, phone, amount, currency, status,
       created_at, expires_at, verdict, decide_at)
     values ($1, 'M-1', 'POS-1', 'PED-1', '+244900000000', '10.00', 'AOA', 'PENDING', $2, $2, 'APPROVED', $2)`,
    [id, clock.now()],
  );
  const options = { host: '127.0.0.1', port: 0, databaseUrl: database.url, clock, key: RAIL_KEY };
  const simulator = await startSimulator({ ...options, notifyUrl: () => gateway.url, log: () => {} });
  const rail = gpoById(createGpoRail({ url: simulator.url, key: RAIL_KEY, timeoutMs: 10_000, clock }));
  try {
    expect(await rail.query('purchase', id)).toMatchObject({ result: 'approved', amountMinor: 1_000 });
    const terminal = { method: 'PUT', body: JSON.stringify({ status: 'CLOSED', notify: true }) };
    expect((await fetch(`${simulator.url}/terminals/POS-1`, terminal)).status).toBe(200);
    await expect.poll(() => gateway.requests.map(({ json }) => json.type).sort()).toEqual(['purchase', 'terminal']);
  } finally {
    await simulator.stop();
    await gateway.stop();
    await database.drop();
  }
});
