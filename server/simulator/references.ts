// Payment references at the rail: registered once, withdrawn for ever; one live one at a time has the same digits.
import type { Pool, PoolClient } from 'pg';
import { refuse } from './refusal.ts';
import type { Simulation } from './simulator.ts';
import { inTransaction, lockThing } from './tables.ts';

/** What a registration asks for, by its names on the wire. */
export type ReferenceRequest = {
  id: string;
  entity: string;
  reference: string;
  type: 'DYNAMIC' | 'CHARGING';
  /** Null: the payer chooses. */
  amount: string | null;
  currency: string;
  description: string | null;
  expiresAt: Date;
};

export type ReferenceStatus = 'ACTIVE' | 'PAID' | 'EXPIRED' | 'WITHDRAWN';

export type ReferenceRow = {
  id: string;
  /** Empty, like its other texts, when it was withdrawn before it came. */
  entity: string;
  reference: string;
  type: 'DYNAMIC' | 'CHARGING';
  amount: string | null;
  currency: string;
  description: string | null;
  expires_at: Date;
  withdrawn_at: Date | null;
  calls: number;
  /** Payments that were made, and how many of them everybody may know. */
  taken: number;
  told: number;
};

const FIND = `select r.*,
    (select count(*) from simulator.ppr_payments p where p.reference_id = r.id)::int as taken,
    (select count(position) from simulator.ppr_payments p where p.reference_id = r.id)::int as told
  from simulator.ppr_references r`;

/** Registers a reference, or counts one more call for the one with this id. @throws Refusal REFERENCE_TAKEN */
export async function recordReference(
  sim: Simulation,
  request: ReferenceRequest,
): Promise<{ row: ReferenceRow; isNew: boolean; isSame: boolean }> {
  return inTransaction(sim.pool, async (db) => {
    const { id, entity, reference } = request;
    const now = sim.clock.now();
    await lockThing(db, id, nameDigits(entity, reference));
    const { rows } = await db.query<ReferenceRow>(`${FIND} where r.id = $1 or (r.entity = $2 and r.reference = $3)`, [
      id,
      entity,
      reference,
    ]);
    const known = rows.find((row) => row.id === id);
    if (!known && rows.some((row) => statusOf(row, now, 'taken') === 'ACTIVE')) {
      refuse(409, 'REFERENCE_TAKEN', 'Another reference with these digits can still be paid.');
    }
    // Withdrawn before it came: from now on it has content, and stays withdrawn.
    if (!known?.entity) return { row: await insertReference(db, request, now), isNew: !known, isSame: true };
    await db.query('update simulator.ppr_references set calls = calls + 1 where id = $1', [id]);
    return { row: known, isNew: false, isSame: known.withdrawn_at !== null || isLike(known, request) };
  });
}

async function insertReference(db: PoolClient, request: ReferenceRequest, now: Date): Promise<ReferenceRow> {
  const { id, entity, reference, type, amount, currency, description, expiresAt } = request;
  const { rows } = await db.query<ReferenceRow>(
    `insert into simulator.ppr_references
       (id, entity, reference, type, amount, currency, description, expires_at, created_at, calls)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1)
     on conflict (id) do update set entity = $2, reference = $3, type = $4, amount = $5, currency = $6,
       description = $7, expires_at = $8, calls = ppr_references.calls + 1
     returning *, 0 as taken, 0 as told`,
    [id, entity, reference, type, amount, currency, description, expiresAt, now],
  );
  return rows[0] as ReferenceRow;
}

function isLike(row: ReferenceRow, request: ReferenceRequest): boolean {
  const texts = ['entity', 'reference', 'type', 'amount', 'currency', 'description'] as const;
  return (
    texts.every((field) => row[field] === request[field]) && row.expires_at.getTime() === request.expiresAt.getTime()
  );
}

/** From now on it takes no payment, also when it comes only later. */
export async function withdrawReference({ pool, clock }: Simulation, id: string): Promise<ReferenceRow> {
  await pool.query(
    `insert into simulator.ppr_references
       (id, entity, reference, type, currency, expires_at, withdrawn_at, created_at, calls)
     values ($1, '', '', '', '', $2, $2, $2, 0)
     on conflict (id) do update set withdrawn_at = coalesce(ppr_references.withdrawn_at, $2)`,
    [id, clock.now()],
  );
  return (await findReference(pool, id)) as ReferenceRow;
}

/** A reference by its id; null when nothing was ever said of it. */
export async function findReference(db: Pool | PoolClient, id: string): Promise<ReferenceRow | null> {
  const { rows } = await db.query<ReferenceRow>(`${FIND} where r.id = $1`, [id]);
  return rows[0] ?? null;
}

/** All that ever had these digits, newest first; `lock` keeps them as they are until the transaction ends. */
export async function findByDigits(
  db: Pool | PoolClient,
  entity: string,
  reference: string,
  lock: '' | 'for update' = '',
): Promise<ReferenceRow[]> {
  const { rows } = await db.query<ReferenceRow>(
    `${FIND} where r.entity = $1 and r.reference = $2 and r.entity <> '' order by r.seq desc ${lock}`,
    [entity, reference],
  );
  return rows;
}

/** Everything, or what has these digits, oldest first. */
export async function listReferences(pool: Pool, reference: string | null): Promise<ReferenceRow[]> {
  const { rows } = await pool.query<ReferenceRow>(`${FIND} where $1::text is null or r.reference = $1 order by r.seq`, [
    reference,
  ]);
  return rows;
}

/** What is locked for everything about these digits. */
export function nameDigits(entity: string, reference: string): string {
  return `reference ${entity} ${reference}`;
}

/** How a reference stands, by the payments that were made or only by those that everybody may know. */
export function statusOf(row: ReferenceRow, now: Date, by: 'taken' | 'told'): ReferenceStatus {
  if (row.type === 'DYNAMIC' && row[by] > 0) return 'PAID';
  if (row.withdrawn_at) return 'WITHDRAWN';
  return row.expires_at <= now ? 'EXPIRED' : 'ACTIVE';
}

/** A reference as the rail writes it (docs/rail.md); of one that never came, only that it is withdrawn. */
export function viewReference(row: ReferenceRow, now: Date, by: 'taken' | 'told' = 'told') {
  const status = statusOf(row, now, by);
  if (!row.entity) return { id: row.id, status };
  const { id, entity, reference, type, amount, currency, description, expires_at: expiresAt } = row;
  return { id, entity, reference, type, amount, currency, description, expiresAt: expiresAt.toISOString(), status };
}
