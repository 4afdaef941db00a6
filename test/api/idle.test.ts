// The clock of tests leaps over what a node at rest waits for: a loop that it does not know makes every travel ten times as long.
import { expect, test } from 'vitest';
import { startTestApp, until } from '../support/app.ts';
import { readIdleMs } from '../support/idle.ts';
import { create, purchase } from '../support/payments.ts';

test('a node at rest lets the clock leap, one that asks its rail does not', async () => {
  const app = await startTestApp();
  await until(async () => (await readIdleMs(app)) > 5_000, 'the node being at rest');
  const { internalId } = await create(app, purchase('900000001'));
  await app.sql(`update attempts set due_at = $2 where payment_id = $1`, [internalId, app.clock.now()]);
  expect(await readIdleMs(app)).toBe(0);
});
