import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../server/clock.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until } from '../../support/app.ts';
import { pay, untilRegistered } from '../../support/ppr.ts';
import { GUIDE_BLOCKS, makeProject } from '../../support/project.ts';
import { scanCode } from '../../support/qrcodes.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';
import { OLDEST_NODE } from '../../support/shop.ts';

test('the first program of the guide runs as printed', async () => {
  // The client waits in real time.
  const [app, project] = await Promise.all([startTestApp({ env: RECEIVER_ENV, clock: systemClock }), makeProject()]);
  const [program = ''] = GUIDE_BLOCKS.js;
  expect(program.split('\n').length).toBeLessThanOrEqual(23);
  writeFileSync(join(project, 'main.js'), program);
  const child = spawn(OLDEST_NODE.file, ['main.js', app.url], { cwd: project });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const untilPrinted = (pattern: RegExp) =>
    until(() => {
      if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
      return pattern.exec(output);
    }, `${pattern} being printed`);

  await untilPrinted(/^push: Paid$/m);
  const [, content] = await untilPrinted(/^pay at \/sandbox\/scan: (.+)$/m);
  const [, entity, reference] = await untilPrinted(/^pay at \/sandbox\/atm: (\d+) (\d+)$/m);
  await scanCode(app, content!);
  await untilPrinted(/^callback: CODE-1 is Paid$/m);
  await untilRegistered(app, reference!);
  await pay(app, { entity: entity!, reference: reference! });
  await untilPrinted(new RegExp(`^callback: ${reference} is Paid$`, 'm'));

  const { json } = await app.call(`/api/merchants/${DEMO.merchantId}/callback`);
  const forged = { method: 'POST', headers: { 'access-key': 'another-key-than-ours' }, body: '{"refPagamento":"1"}' };
  expect((await fetch(json.url, forged)).status).toBe(401);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
});
