import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { findGateway } from '../../../server/cli/find-gateway.ts';
import { readConfig } from '../../../server/config.ts';
import { startNode } from '../../../server/start.ts';
import { TEST_ENV } from '../../support/app.ts';
import { startHere } from '../../support/cli.ts';

test('`trigger` calls the running gateway that owns the data folder', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'balcao-found-'));
  const config = readConfig({ ...TEST_ENV, DATA_DIR, PORT: '0' });
  const node = await startNode(config, { log: pino({ level: 'silent' }) });
  try {
    const { code, stdout, stderr } = await startHere(['trigger', 'payment.created'], { env: { DATA_DIR } }).ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${node.core.publicUrl}/checkout/`);
  } finally {
    await node.stop();
  }
  expect(findGateway(undefined, { DATA_DIR }).hint).toContain(`no gateway runs on the data folder ${DATA_DIR}.`);
  rmSync(DATA_DIR, { recursive: true });
});
