// Finds shifts. A person has her own shifts; a caller with the scope `users:write` has all shifts of the merchant.
import type { Kysely } from 'kysely';
import { prepared, presentFilters, type Db, type Tables } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';
import type { ShiftStatus } from '../../shared/shift.ts';
import type { Shift } from './entities.ts';

export type ShiftCaller = Pick<Caller, 'merchantId' | 'userId' | 'scopes'>;

/** The person of a request. @throws Problem user_required for an API client */
export function personOf({ userId }: Pick<Caller, 'userId'>): string {
  if (!userId) throw new Problem('user_required');
  return userId;
}

/**
 * Returns the person whose shifts the caller may read. Null: all persons of the merchant.
 * @throws Problem user_required for an API client without the scope `users:write`
 */
function ownerOf(caller: ShiftCaller): string | null {
  return caller.scopes.has('users:write') ? null : personOf(caller);
}

type Own = { id: string; merchantId: string };

const findById = prepared((tables, { id, merchantId }: Own) =>
  tables.selectFrom('shifts').selectAll().where('id', '=', id).where('merchantId', '=', merchantId),
);

const lockForClose = prepared((tables, { id, merchantId }: Own) =>
  tables.selectFrom('shifts').selectAll().where('id', '=', id).where('merchantId', '=', merchantId).forUpdate(),
);

const lockForCash = prepared((tables, { id, merchantId }: Own) =>
  tables.selectFrom('shifts').selectAll().where('id', '=', id).where('merchantId', '=', merchantId).forShare(),
);

const LOCKS = { read: findById, close: lockForClose, cash: lockForCash } as const;

/**
 * Finds one of the caller's shifts, and locks it for a close or for cash.
 * @throws Problem not_found, also for the shift of another merchant or person
 */
export async function findShift(db: Db, caller: ShiftCaller, id: string, lock: keyof typeof LOCKS): Promise<Shift> {
  const shift = await LOCKS[lock].first(db, { id: id.toLowerCase(), merchantId: caller.merchantId });
  const owner = ownerOf(caller);
  if (!shift || (owner !== null && shift.userId !== owner)) throw new Problem('not_found');
  return shift;
}

export type ShiftFilter = {
  from?: Date | undefined;
  to?: Date | undefined;
  user?: string | undefined;
  status?: ShiftStatus | undefined;
};

/** Builds the query of the caller's shifts that match a filter, without an order. */
export function selectShifts(tables: Kysely<Tables>, caller: ShiftCaller, { from, to, user, status }: ShiftFilter) {
  const owner = ownerOf(caller);
  return tables
    .selectFrom('shifts')
    .selectAll()
    .where((eb) => eb.and(presentFilters({ merchantId: caller.merchantId, status, userId: user?.toLowerCase() })))
    .where((eb) =>
      eb.and([
        ...(owner !== null ? [eb('userId', '=', owner)] : []),
        ...(from ? [eb('openedAt', '>=', from)] : []),
        ...(to ? [eb('openedAt', '<', to)] : []),
      ]),
    );
}
