// Choosing the digits of generated references: free on the entity, and not in use there for thirteen months.
import { randomInt } from 'node:crypto';
import type { Core } from '../core.ts';
import { tryLater } from '../http/problem.ts';
import { addMonths } from './calendar.ts';

const DIGITS = 9;
const REST_MONTHS = 13;
/** Drawn blindly this often; what is still missing then is searched for. */
const DRAWS = 3;

/** Digits used before this moment only may be generated again (decisions §4). */
export function unusedSince(now: Date): Date {
  return addMonths(now, -REST_MONTHS);
}

/**
 * So many different free numbers of the entity, as 9 digits that begin with PPR_PREFIX.
 * Another request may take one before it is written: then draw again. `except`: digits that somebody else defines.
 * @throws Problem references_exhausted when fewer are free
 */
export async function drawNumbers(
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
    const used = await findUsed(core, entity, [...drawn]);
    for (const number of drawn) if (!used.has(number) && !except.has(number) && chosen.size < count) chosen.add(number);
  }
  if (chosen.size < count) await addFree(core, entity, { prefix, size, count, except }, chosen);
  if (chosen.size < count) throw tryLater('references_exhausted', 3600);
  return [...chosen];
}

function write(prefix: string, value: number): string {
  return prefix + String(value).padStart(DIGITS - prefix.length, '0');
}

const IN_USE = `(status = 'Pending' or closed_at > $2::timestamptz)`;

async function findUsed({ pool, clock }: Core, entity: string, numbers: string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ reference: string }>({
    name: 'used_references',
    text: `select reference from payment_references where entity = $1 and ${IN_USE} and reference = any($3::text[])`,
    values: [entity, unusedSince(clock.now()), numbers],
  });
  return new Set(rows.map(({ reference }) => reference));
}

type Wanted = { prefix: string; size: number; count: number; except: ReadonlySet<string> };

/** Where nearly all are used luck does not help: the gaps between those in use are looked for, in random order. */
async function addFree({ pool, clock }: Core, entity: string, wanted: Wanted, chosen: Set<string>): Promise<void> {
  const { prefix, size, count, except } = wanted;
  const { rows } = await pool.query<{ first: string; last: string }>(
    `with used as (
       select distinct substr(reference, $3::int + 1)::bigint as n from payment_references
       where entity = $1 and ${IN_USE} and length(reference) = ${DIGITS} and reference like $4
     ), gaps as (
       select n + 1 as first, lead(n, 1, $5::bigint) over (order by n) - 1 as last
       from (select -1 as n union all select n from used) as bounds
     )
     select first, last from gaps where first <= last order by random() limit $6`,
    [entity, unusedSince(clock.now()), prefix.length, `${prefix}%`, size, count + except.size],
  );
  for (const { first, last } of rows) {
    const [from, to] = [Number(first), Number(last)];
    // From a random place of the gap, so that several who search at once do not all choose the same.
    const width = to - from + 1;
    const start = randomInt(width);
    for (let nth = 0; nth < width && chosen.size < count; nth++) {
      const number = write(prefix, from + ((start + nth) % width));
      if (!except.has(number)) chosen.add(number);
    }
  }
}
