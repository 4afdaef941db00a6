import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startTestApp, until } from '../../support/app.ts';
import { testClock } from '../../support/clock.ts';
import { create, webframe } from '../../support/payments.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';

test('a node whose clock is wrong is not ready, logs this once and starts no due work', async () => {
  const logTo = new PassThrough();
  let written = '';
  logTo.on('data', (chunk: Buffer) => (written += chunk));
  const clock = testClock(new Date().toISOString());
  const app = await startTestApp({ clock, logTo, env: { CLOCK_TOLERANCE_S: '300' } });
  const readReady = async () => (await app.call('/readyz', { token: null })).status;
  expect(await readReady()).toBe(200);

  clock.leap(10 * MINUTE_MS);
  await until(async () => {
    await clock.advance(1_000);
    return (await readReady()) === 503;
  }, 'readiness being red');
  const { id } = await create(app, webframe({ metadata: { expiresInMinutes: 5 } }));
  const readStatus = async () => (await app.call(`/api/payments/${id}`)).json.status;
  const warnings = () => written.split('\n').filter((line) => line.includes('clock skew too large'));
  await clock.pass(6 * MINUTE_MS);
  // The node compares its clock with the database's clock every second.
  for (let nth = 0; nth < 5; nth++) {
    await clock.advance(1_000);
    expect(await readStatus()).toBe('Pending');
  }
  expect(warnings()).toHaveLength(1);

  // A node that tolerates any clock claims the same due order.
  await app.startTwin({ env: { CLOCK_TOLERANCE_S: '0' } });
  await until(async () => {
    await clock.advance(1_000);
    return (await readStatus()) === 'Expired';
  }, 'another node ending it');
});
