// Trial: two of three nodes are killed (-9) repeatedly while they take payments.
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import type { Gateway } from '../kit/gateway.ts';
import { openScope } from '../kit/scope.ts';
import { longestGapS, reportTrial } from './books.ts';
import { openTrialFixture } from './fixture.ts';
import type { PushResults } from './push-client.ts';

const KILLS = 30;
const KILLERS = 2;
const NODES = 3;
const PUSHES_PER_SECOND = 15;

export async function runKills(): Promise<string> {
  const scope = openScope();
  try {
    const postgres = scope.start('bench/kit/processes/database.ts');
    const databaseUrl = await postgres.call<string>('start', { dataDir: join(scope.makeFolder(), 'database') });
    const options = { databaseUrl, nodes: NODES, perSecond: PUSHES_PER_SECOND };
    const fixture = await openTrialFixture(scope, options);
    const startedAt = Date.now();
    await killAll(fixture.nodes);
    const tookS = Math.round((Date.now() - startedAt) / 1000);
    const gapS = longestGapS(await fixture.pushClient.call<PushResults>('collect'));
    const seconds: [string, string][] = [['longest time without a 201', `${gapS.toFixed(2)} s`]];
    const title = `${KILLS} kill -9 of two of three nodes in ${tookS} s, ${PUSHES_PER_SECOND} pushes/s`;
    return await reportTrial(title, { ...fixture, databaseUrl, seconds });
  } finally {
    await scope.close();
  }
}

/** Two killers each kill a running node, so at least one node is always up. */
async function killAll(nodes: Gateway[]): Promise<void> {
  const running = [...nodes];
  let left = KILLS;
  const loop = async () => {
    while (left-- > 0) {
      const [node] = running.splice(randomInt(running.length), 1) as [Gateway];
      await node.kill();
      await node.start();
      running.push(node);
      console.error(`${KILLS - Math.max(left, 0)} of ${KILLS} kills`);
      await pause(Math.random() * 300);
    }
  };
  await Promise.all(Array.from({ length: KILLERS }, loop));
}
