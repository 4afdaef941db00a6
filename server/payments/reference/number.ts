// Draws random digits for references. They must not have been used for some time.
import { randomInt } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Core } from '../../core.ts';
import { isAny, prepared, query, type Tables } from '../../database/db.ts';
import { tryLater } from '../../http/problem.ts';

const DIGITS = 9;
const REST_MONTHS = 13;
/** The number of random draws before `addFree` searches for gaps. */
const DRAWS = 3;

/** Returns the time since which digits must be unused. A payment with an old slip must not pay a new reference. */
export function unusedSince(now: Date): Date {
  return addMonths(now, -REST_MONTHS);
}

/**
 * Draws different free numbers of an entity, each with 9 digits that begin with PPR_PREFIX.
 * A concurrent request may insert a drawn number first.
 * @param except digits that the request itself contains
 * @throws Problem references_exhausted if too few numbers are free
 */
export async function drawFreeDigits(
  core: Core,
  entity: string,
  count: number,
  except: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const prefix = core.config.PPR_PREFIX;
  const size = 10 ** (DIGITS - prefix.length);
  const chosen = new Set<string>();
  for (let draw = 0; draw < DRAWS && chosen.size < count; draw++) {
    const drawn = new Set<string>();
    for (let nth = chosen.size; nth < count + 8; nth++) drawn.add(write(prefix, randomInt(size)));
    const used = await findUsedDigits(core, entity, [...drawn]);
    for (const number of drawn) if (!used.has(number) && !except.has(number) && chosen.size < count) chosen.add(number);
  }
  if (chosen.size < count) await addFree(core, entity, { prefix, size, count, except }, chosen);
  if (chosen.size < count) throw tryLater('references_exhausted', 3600);
  return [...chosen];
}

function write(prefix: string, value: number): string {
  return prefix + String(value).padStart(DIGITS - prefix.length, '0');
}

/** Finds the digits in the list that a live reference has, or a reference that was closed too recently. */
export async function findUsedDigits(core: Core, entity: string, numbers: string[]): Promise<Set<string>> {
  const rows = await findInUse.all(core, { entity, since: unusedSince(core.clock.now()), numbers });
  return new Set(rows.map(({ reference }) => reference));
}

type InUse = { entity: string; since: Date };

const referencesInUse = (tables: Kysely<Tables>, { entity, since }: InUse) =>
  tables
    .selectFrom('payment_references')
    .where('entity', '=', entity)
    .where((eb) => eb.or([eb('status', '=', 'Pending'), eb('closedAt', '>', since)]));

const findInUse = prepared((tables, { entity, since, numbers }: InUse & { numbers: string[] }) =>
  referencesInUse(tables, { entity, since })
    .select('reference')
    .where('reference', ...isAny(numbers)),
);

type Wanted = { prefix: string; size: number; count: number; except: ReadonlySet<string> };

/** Adds free numbers from gaps between used ones, in random order. Random draws fail if nearly all numbers are used. */
async function addFree(core: Core, entity: string, wanted: Wanted, chosen: Set<string>): Promise<void> {
  const { prefix, size, count, except } = wanted;
  const used = { entity, since: unusedSince(core.clock.now()) };
  const gaps = await query((tables) =>
    tables
      .with('used', () =>
        referencesInUse(tables, used)
          .select(sql<number>`substr(reference, ${prefix.length + 1}::int)::bigint`.as('n'))
          .distinct()
          .where(sql`length(reference)`, '=', DIGITS)
          .where('reference', 'like', `${prefix}%`),
      )
      .with('gaps', (on) =>
        on
          .selectFrom(sql<{ n: number }>`(select -1 as n union all select n from used)`.as('bounds'))
          .select([
            sql<number>`n + 1`.as('first'),
            sql<number>`lead(n, 1, ${size}::bigint) over (order by n) - 1`.as('last'),
          ]),
      )
      .selectFrom('gaps')
      .select(['first', 'last'])
      .whereRef('first', '<=', 'last')
      .orderBy(sql`random()`)
      .limit(count + except.size),
  ).all(core);
  for (const { first: from, last: to } of gaps) {
    // Concurrent searches start at different numbers of the same gap.
    const width = to - from + 1;
    const start = randomInt(width);
    for (let nth = 0; nth < width && chosen.size < count; nth++) {
      const number = write(prefix, from + ((start + nth) % width));
      if (!except.has(number)) chosen.add(number);
    }
  }
}

/**
 * Adds calendar months to a time, or subtracts them.
 * If the month has no such day, the result is the month's last day: 31 January → end of February.
 */
export function addMonths(from: Date, count: number): Date {
  const to = new Date(from);
  to.setUTCMonth(to.getUTCMonth() + count);
  // The day did not exist, so JavaScript moved to the next month. Day 0 is the last day of the month before.
  if (to.getUTCDate() !== from.getUTCDate()) to.setUTCDate(0);
  return to;
}
