// `/sandbox/clock`: the sandbox's own time. People can move it ahead of real time, but not back.
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Pool } from 'pg';
import { z } from 'zod';
import { DAY_MS } from '../shared/durations.ts';
import type { MovableClock } from '../server/clock.ts';
import { readBody } from '../server/http/body.ts';
import { faultsOf } from '../server/http/validate.ts';
import { invalidFields } from '../server/http/problem.ts';
import { prepared } from './simulator/schema.ts';
import { catchRemoteErrors, type SandboxOptions } from './page.ts';

export type SandboxTime = {
  /**
   * Adopts the clock's offset from the database, so that rows written earlier are not in the future.
   * The adoption runs each second, because another node may move the time.
   */
  catchUp(): Promise<void>;
  /** Moves the time ahead permanently and wakes waiting work. Other nodes follow within a second. */
  advance(ms: number): Promise<void>;
};

export function openTime(pool: Pool, clock: MovableClock, moved: () => void): SandboxTime {
  // Of two concurrent answers, the older one may arrive last.
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

/** Adds to the clock's stored offset, so that concurrent moves add up. */
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

/** `GET` returns the time, and `POST { "advance": "P1D" }` moves it. The entry page's form does the same. */
export function clockPages(options: SandboxOptions, clock: MovableClock, time: SandboxTime): Router {
  const router = new Router({ prefix: PATH });
  router.use(catchRemoteErrors(options));
  router.get('/', (ctx) => answerTime(ctx, clock));
  router.post('/', async (ctx) => {
    const sent = (await readBody(ctx, true, MAX_BYTES)) ?? {};
    const read = advanceRequest.safeParse(sent);
    if (!read.success) throw invalidFields(faultsOf(read.error, sent));
    const ms = durationMs(read.data.advance, clock.now());
    if (!ms) throw invalidFields([{ pointer: '/advance', code: 'invalid_format' }]);
    if (ms > LONGEST_MS || clock.now().getTime() > LATEST)
      throw invalidFields([{ pointer: '/advance', code: 'date_too_far' }]);
    await time.advance(ms);
    if (!ctx.is('urlencoded')) return answerTime(ctx, clock);
    ctx.status = 303;
    return ctx.redirect('/sandbox#time');
  });
  return router;
}

const advanceRequest = z.object({ advance: z.string().max(40) });

const LONGEST_MS = 366 * DAY_MS;
/** The latest time that the clock may have, because all dates in the system have four-digit years. */
const LATEST = Date.parse('2098-01-01T00:00:00Z');

function answerTime(ctx: Context, clock: MovableClock): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { now: clock.now().toISOString(), aheadSeconds: Math.round(clock.aheadMs() / 1_000) };
}

const DURATION = new RegExp(
  String.raw`^P(?=.)(?:(?<years>\d{1,4})Y)?(?:(?<months>\d{1,4})M)?(?:(?<weeks>\d{1,4})W)?(?:(?<days>\d{1,4})D)?` +
    String.raw`(?:T(?=.)(?:(?<hours>\d{1,6})H)?(?:(?<minutes>\d{1,8})M)?(?:(?<seconds>\d{1,9})S)?)?$`,
);

/** The length of an ISO 8601 duration of whole numbers from `start`, by the calendar. Null for other text. */
export function durationMs(text: string, start: Date): number | null {
  const parts = DURATION.exec(text)?.groups;
  if (!parts) return null;
  const count = (unit: string) => Number(parts[unit] ?? 0);
  const end = new Date(start);
  end.setUTCMonth(end.getUTCMonth() + count('years') * 12 + count('months'));
  // One month after 31 January is the end of February.
  if (end.getUTCDate() !== start.getUTCDate()) end.setUTCDate(0);
  const hours = (count('weeks') * 7 + count('days')) * 24 + count('hours');
  const seconds = (hours * 60 + count('minutes')) * 60 + count('seconds');
  return end.getTime() - start.getTime() + seconds * 1_000;
}
