// Trial: two nodes take payments, their database is killed (-9), and its synchronous standby becomes the primary.
import { setTimeout as pause } from 'node:timers/promises';
import { openScope } from '../kit/scope.ts';
import { longestGapS, reportTrial } from './books.ts';
import { openTrialFixture } from './fixture.ts';
import type { PushResults } from './push-client.ts';

const FAILOVERS = 3;
const PUSHES_PER_SECOND = 40;
/** The time under load before each kill. */
const LOAD_MS = 6_000;
/** The time that a supervisor needs to detect that the primary is dead. */
const DETECTION_MS = 1_000;

export async function runFailover(): Promise<string> {
  const scope = openScope();
  try {
    const pair = scope.start('bench/trials/pair.ts');
    const folder = scope.makeFolder();
    // The URL contains the addresses of both databases, and each node finds the primary.
    const databaseUrl = await pair.call<string>('start', { folder });
    const fixture = await openTrialFixture(scope, { databaseUrl, nodes: 2, perSecond: PUSHES_PER_SECOND });
    const afterPromotion: string[] = [];
    for (let nth = 1; nth <= FAILOVERS; nth++) {
      await pause(LOAD_MS);
      await pair.call('kill');
      await pause(DETECTION_MS);
      await pair.call('promote');
      const promotedAt = Date.now();
      const firstAt = await untilAcknowledged(fixture.pushClient, promotedAt);
      afterPromotion.push(((firstAt - promotedAt) / 1000).toFixed(2));
      console.error(`${nth} of ${FAILOVERS}: first 201 ${afterPromotion.at(-1)} s after the promotion`);
      await pair.call('rejoin');
    }
    const gapS = longestGapS(await fixture.pushClient.call<PushResults>('collect'));
    const seconds: [string, string][] = [
      [`longest time without a 201, ${DETECTION_MS / 1000} s of it detection`, `${gapS.toFixed(2)} s`],
      ['from promotion to the first 201', `${afterPromotion.join(', ')} s`],
    ];
    const primaryUrl = await pair.call<string>('primaryUrl');
    const title = `${FAILOVERS} failovers to a synchronous standby, ${PUSHES_PER_SECOND} pushes/s`;
    return await reportTrial(title, { ...fixture, databaseUrl: primaryUrl, seconds });
  } finally {
    await scope.close();
  }
}

async function untilAcknowledged(pushClient: { call<T>(job: string): Promise<T> }, after: number): Promise<number> {
  for (;;) {
    const { acknowledged } = await pushClient.call<PushResults>('collect');
    const first = acknowledged.find(({ at }) => at > after);
    if (first) return first.at;
    await pause(20);
  }
}
