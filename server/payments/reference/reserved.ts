// The pool of digits that a rail assigns by calls. A background job fills it, so that no request waits for a call.
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { prepared } from '../../database/db.ts';
import { tryLater } from '../../http/problem.ts';
import type { PprAccount } from '../../rails/rail.ts';
import { MAX_BULK } from './schemas.ts';

/** The number of digits in a full pool, which is enough for the largest request. */
const RESERVED_AHEAD = MAX_BULK;
/** The number of concurrent calls. They fill the pool within a minute after a large request. */
const LANES = 4;
/** A request makes at most one call for each ten of its references. */
const REFERENCES_A_CALL = 10;
/** An estimate of the digits that a rail assigns per second, for the `Retry-After` of a refused request. */
const DIGITS_A_SECOND = 10;

export function assignsDigits({ capabilities, clients }: PprAccount): boolean {
  return !capabilities.ownDigits && clients.ppr?.reserve !== undefined;
}

/**
 * Takes reserved digits, and starts to reserve new ones in the background. Unused digits return to the pool.
 * @throws Problem rail_unavailable while too few digits are reserved
 */
export async function takeReserved(core: Core, account: PprAccount, count: number): Promise<string[]> {
  const rows = await takeRows.all(core, { ...poolOf(account), count });
  const taken = rows.map(({ reference }) => reference);
  const missing = count - taken.length;
  const isFew = missing <= Math.ceil(count / REFERENCES_A_CALL);
  const more = missing === 0 ? [] : isFew ? await account.clients.ppr?.reserve?.(missing) : null;
  core.inBackground(reserveAhead(core, account));
  if (more) return [...taken, ...more];
  await returnDigits(core, account, taken);
  throw tryLater('rail_unavailable', Math.max(5, missing / DIGITS_A_SECOND));
}

/** Returns digits that no reference used to the pool. */
export async function returnDigits(core: Core, account: PprAccount, digits: string[]): Promise<void> {
  if (digits.length === 0 || !assignsDigits(account)) return;
  await insertRows.run(core, { ...poolOf(account), digits, at: core.clock.now() });
}

/** Reserves digits until the pool is full. On each node, one run at a time fills an account's pool. Never throws. */
export async function reserveAhead(core: Core, account: PprAccount): Promise<void> {
  if (assignsDigits(account)) await core.rails.share(`reserve ${account.id}`, () => fillPool(core, account));
}

async function fillPool(core: Core, account: PprAccount): Promise<void> {
  try {
    const { count } = await countRows.one(core, poolOf(account));
    let missing = RESERVED_AHEAD - count;
    const fill = async () => {
      while (missing-- > 0 && (await isStillOpen(core, account)) && (await reserveOne(core, account)));
    };
    await Promise.all(Array.from({ length: LANES }, fill));
  } catch (error) {
    core.log.warn({ err: error, railId: account.id }, 'could not reserve digits; will retry in a minute');
  }
}

/** False if the account was changed, because its new settings may have another entity. */
async function isStillOpen(core: Core, account: PprAccount): Promise<boolean> {
  if (core.stopping.aborted || account.status === 'disabled') return false;
  return (await core.rails.find(account.id)) === account;
}

/** Reserves one number. False if the rail assigned no number or a known one: then it has no more for now. */
async function reserveOne(core: Core, account: PprAccount): Promise<boolean> {
  const digits = await account.clients.ppr?.reserve?.(1);
  return !!digits && (await insertRows.run(core, { ...poolOf(account), digits, at: core.clock.now() })) > 0;
}

/**
 * Identifies the pool: a number belongs to one entity of one environment, even if the account's settings change later.
 */
type Pool = { rail: string; environment: string; entity: string };

function poolOf({ id, account }: PprAccount): Pool {
  return { rail: id, environment: account.environment, entity: String(account.settings['entity'] ?? '') };
}

const countRows = prepared((tables, { rail, environment, entity }: Pool) =>
  tables
    .selectFrom('reserved_references')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where((eb) => eb.and({ rail, environment, entity })),
);

/** Takes digits that no other request takes. A subquery could run once per row and take more than `count`. */
const takeRows = prepared((tables, { rail, environment, entity, count }: Pool & { count: number }) =>
  tables
    .with('chosen', (on) =>
      on
        .selectFrom('reserved_references')
        .select('reference')
        .where((eb) => eb.and({ rail, environment, entity }))
        .limit(count)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('reserved_references as r')
    .using('chosen')
    .where((eb) => eb.and({ 'r.rail': rail, 'r.environment': environment, 'r.entity': entity }))
    .whereRef('r.reference', '=', 'chosen.reference')
    .returning('r.reference'),
);

const insertRows = prepared(
  (tables, { rail, environment, entity, digits, at }: Pool & { digits: string[]; at: Date }) =>
    tables
      .insertInto('reserved_references')
      .columns(['rail', 'environment', 'entity', 'reference', 'reservedAt'])
      .expression(
        tables.selectNoFrom([
          sql<string>`${rail}::text`.as('rail'),
          sql<string>`${environment}::text`.as('environment'),
          sql<string>`${entity}::text`.as('entity'),
          sql<string>`unnest(${digits}::text[])`.as('reference'),
          sql<Date>`${at}::timestamptz`.as('reservedAt'),
        ]),
      )
      .onConflict((on) => on.columns(['rail', 'environment', 'entity', 'reference']).doNothing()),
);
