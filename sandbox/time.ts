// The sandbox's own time: what happens tomorrow is seen today. It can be put ahead of the world's, and never back: `/sandbox/clock`.
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { MovableClock } from '../server/clock.ts';
import { readBody } from '../server/http/body.ts';
import { faultsOf } from '../server/http/validate.ts';
import { invalid } from '../server/http/problem.ts';
import { prepared } from './simulator/schema.ts';
import { catchAway, type SandboxOptions } from './page.ts';

export type SandboxTime = {
  /** Takes over how far ahead this database's time is: what was written then must not lie in the future. Each second, as another node may move it. */
  catchUp(): Promise<void>;
  /** Moves it on, for good, and wakes what waits for a moment; everything else finds what is due within a second. */
  advance(ms: number): Promise<void>;
};

export function openTime(pool: Pool, clock: MovableClock, moved: () => void): SandboxTime {
  // Of two answers at once the older may be read last.
  const moveTo = (ms = 0) => {
    if (ms <= clock.aheadMs()) return;
    clock.setAhead(ms);
    moved();
  };
  return {
    catchUp: async () => moveTo((await findAhead.first(pool, {}))?.aheadMs),
    advance: async (ms) => moveTo((await moveAhead.all(pool, { ms }))[0]?.aheadMs),
  };
}

const findAhead = prepared((tables) => tables.selectFrom('clock').select('aheadMs'));

/** Two that are asked for at once are both done. */
const moveAhead = prepared((tables, { ms }: { ms: number }) =>
  tables
    .insertInto('clock')
    .values({ id: 1, aheadMs: ms })
    .onConflict((oc) =>
      oc.column('id').doUpdateSet((eb) => ({ aheadMs: eb('clock.aheadMs', '+', eb.ref('excluded.aheadMs')) })),
    )
    .returning('aheadMs'),
);

const PATH = '/sandbox/clock';
const MAX_BYTES = 1_000;

/** `GET` tells the time, `POST { "advance": "P1D" }` moves it on; the form of the sandbox's entry does the same. */
export function clockPages(options: SandboxOptions, clock: MovableClock, time: SandboxTime): Router {
  const router = new Router({ prefix: PATH });
  router.use(catchAway(options));
  router.get('/', (ctx) => tell(ctx, clock));
  router.post('/', async (ctx) => {
    const sent = (await readBody(ctx, true, MAX_BYTES)) ?? {};
    const read = advanceRequest.safeParse(sent);
    if (!read.success) throw invalid(faultsOf(read.error, sent));
    const ms = durationMs(read.data.advance, clock.now());
    if (!ms) throw invalid([{ pointer: '/advance', code: 'invalid_format' }]);
    if (ms > LONGEST_MS || clock.now().getTime() > LATEST)
      throw invalid([{ pointer: '/advance', code: 'date_too_far' }]);
    await time.advance(ms);
    if (!ctx.is('urlencoded')) return tell(ctx, clock);
    ctx.status = 303;
    return ctx.redirect('/sandbox#time');
  });
  return router;
}

const advanceRequest = z.object({ advance: z.string().max(40) });

const LONGEST_MS = 366 * 86_400_000;
/** Every date of the house has a year of four digits. */
const LATEST = Date.parse('2098-01-01T00:00:00Z');

function tell(ctx: Context, clock: MovableClock): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { now: clock.now().toISOString(), aheadSeconds: Math.round(clock.aheadMs() / 1_000) };
}

const DURATION =
  /^P(?=.)(?:(?<years>\d{1,4})Y)?(?:(?<months>\d{1,4})M)?(?:(?<weeks>\d{1,4})W)?(?:(?<days>\d{1,4})D)?(?:T(?=.)(?:(?<hours>\d{1,6})H)?(?:(?<minutes>\d{1,8})M)?(?:(?<seconds>\d{1,9})S)?)?$/;

/** How long an ISO 8601 duration of whole numbers is from `start` on, by the calendar; null where the text is none. */
export function durationMs(text: string, start: Date): number | null {
  const parts = DURATION.exec(text)?.groups;
  if (!parts) return null;
  const count = (unit: string) => Number(parts[unit] ?? 0);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + count('years') * 12 + count('months'));
  // A month after the end of January is the end of February.
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);
  const hours = (count('weeks') * 7 + count('days')) * 24 + count('hours');
  const seconds = (hours * 60 + count('minutes')) * 60 + count('seconds');
  return end.getTime() - start.getTime() + seconds * 1_000;
}
