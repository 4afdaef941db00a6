import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { until } from '../../support/app.ts';
import { connectMerchant, killChildren, startChild, type Child } from '../../support/child.ts';
import { freshDatabase, querySql, type FreshDatabase } from '../../support/database.ts';
import type { HoldPoint } from '../../support/proxy.ts';
import { startSimulatedTerminals, type TerminalRail } from '../../support/terminals.ts';

const POS = 'demo-pos';
/** The rail's timeout is longer than the time from the call to the kill on any machine. */
const TIMEOUT_S = 20;
/** After this time the lease has ended: the call's timeout plus 5 s, and one second more. */
const AFTER_LEASE_MS = (TIMEOUT_S + 6) * 1_000;

let rail: TerminalRail;
let database: FreshDatabase;
let child: Child;
let lateMs = 0;
const start = async () => {
  const env = { ...rail.env, DATABASE_URL: database.url, GPO_TIMEOUT_S: String(TIMEOUT_S), LOG_LEVEL: 'warn' };
  child = await startChild({ env, lateMs, ...(child && { port: child.port }) });
};
const merchant = connectMerchant(() => child.url);
beforeAll(async () => {
  [rail, database] = [await startSimulatedTerminals(() => child.url, systemClock), await freshDatabase()];
  await start();
});
afterEach(() => rail.calls.cut());
afterAll(async () => {
  await killChildren();
  await rail?.stop();
  await database?.drop();
});

const sql = (text: string) => querySql(database.url, text);
const readRow = async () =>
  (await sql(`select status, operation_id, due_at from terminals where pos_id = '${POS}'`))[0];

async function killWhileMoving(action: 'open' | 'close', point: HoldPoint): Promise<void> {
  rail.calls.holdAt(point);
  const call = merchant.call(`/api/terminals/${POS}/${action}`).catch(() => null);
  await until(() => rail.calls.held() === 1, 'the call being under way');
  await child.kill();
  await call;
  rail.calls.holdAt(null);
  rail.calls.cut();
  lateMs += AFTER_LEASE_MS;
  await start();
}

const untilAtRest = () => until(async () => (await readRow()).operation_id === null, 'the truth being found');

test('a terminal has the rail’s status after a kill that interrupts its open or close call', async () => {
  await killWhileMoving('close', 'request');
  await untilAtRest();
  expect(await readRow()).toEqual({ status: 'Open', operation_id: null, due_at: null });
  expect(await rail.read(POS)).toBe('OPEN 1');

  await killWhileMoving('close', 'answer');
  await untilAtRest();
  expect(await readRow()).toEqual({ status: 'Closed', operation_id: null, due_at: null });
  expect(await rail.read(POS)).toBe('CLOSED 1');

  await killWhileMoving('open', 'answer');
  await untilAtRest();
  expect(await readRow()).toEqual({ status: 'Open', operation_id: null, due_at: null });
  expect(await rail.read(POS)).toBe('OPEN 2');
  const types = await sql('select type, details from events order by seq');
  expect(types.map(({ type }) => type.replace('terminal.', ''))).toEqual([
    'closing',
    'open',
    'closing',
    'closed',
    'opening',
    'open',
  ]);
  expect(types[1].details).toMatchObject({ reason: 'not_done', via: 'poll' });
});
