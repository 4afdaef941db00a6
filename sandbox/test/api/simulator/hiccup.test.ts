// After a pause of the simulator many orders are overdue. A poll decides the queried order and no other.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { until } from '../../../../test/support/app.ts';
import { querySql } from '../../../../test/support/database.ts';
import { listStatements } from '../../../../test/support/statements.ts';
import { eventually, openSimulatorFixture, type SimulatorFixture } from '../../../../test/support/simulator-fixture.ts';

const DUE = 500;
/** The simulator's loops: decisions, publications, messages and notifications. */
const LOOPS = 4;

let fixture: SimulatorFixture;
beforeAll(async () => {
  fixture = await openSimulatorFixture();
  // Waits until the loops sleep.
  await until(() => fixture.clock.waits().length === LOOPS, 'the loops being at rest');
});

/** Adds due orders that the loop has not polled yet. Returns their ids. */
async function addDue(): Promise<string[]> {
  const ids = Array.from({ length: DUE }, () => randomUUID());
  await querySql(
    fixture.databaseUrl,
    `insert into simulator.purchases
         (id, merchant_id, terminal_id, reference, phone, amount, currency, status, created_at,
           expires_at, verdict, decide_at)
     select id, 'M-1', 'POS-1', 'PED', '+244923000000', '1500.00', 'AOA', 'PENDING', $2::timestamptz,
       $2::timestamptz + interval '1 minute', 'APPROVED', $2
     from unnest($1::text[]) as id`,
    [ids, fixture.clock.now()],
  );
  return ids;
}

const countDecided = async () =>
  Number(
    (await querySql(fixture.databaseUrl, `select count(*) from simulator.purchases where status <> 'PENDING'`))[0]
      .count,
  );

test(`a poll decides its own order while ${DUE} are due`, async () => {
  const [id] = await addDue();
  const { result, statements } = await listStatements(() => fixture.sign('gpo', 'GET', `/v1/purchases/${id}`));
  expect(result.body).toMatchObject({ id, status: 'APPROVED', transactionId: expect.any(String) });
  expect(await countDecided()).toBe(1);
  expect(statements.length).toBeLessThan(30);
});

test('a request to decide all overdue orders decides each once', async () => {
  const before = await countDecided();
  const phones = Array.from({ length: 8 }, () => fixture.call('/phones'));
  const { statements } = await listStatements(() => Promise.all(phones));
  await eventually(countDecided).toBe(DUE);
  // The limit is nine statements for each order, not nine for each of eight concurrent polls.
  expect(statements.length).toBeLessThan((DUE - before) * 15);
});
