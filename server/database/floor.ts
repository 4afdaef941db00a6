// Decides which releases may run on a database. The database names a migration that a node must know: the schema floor.
// A node checks the floor at its start and each minute, because a newer node may raise it.
import type { Pool } from 'pg';
import type { Clock } from '../clock.ts';
import { CannotStart, VERSION } from '../config.ts';
import { BASELINE, MIGRATIONS } from './migrations.ts';

const EACH_MS = 60_000;

/** The schema has a change that this release does not support. */
export class SchemaTooNew extends CannotStart {
  constructor(migration: string) {
    super(
      `This release (${VERSION}) is too old for its database: it does not know the migration ${migration}. ` +
        'Start the newer release.',
    );
    this.name = 'SchemaTooNew';
  }
}

/**
 * Checks the schema floor.
 * @throws SchemaTooNew if the floor is not among `migrations`; an empty database has no floor
 */
export async function refuseTooNew(pool: Pool, migrations = MIGRATIONS): Promise<void> {
  const found = await pool
    .query<{ migration: string }>('select migration from schema_floor where id = $1', ['floor'])
    .catch((error: { code?: string }) => {
      // The database has no table `schema_floor` yet.
      if (error.code === '42P01') return { rows: [] };
      throw error;
    });
  const floor = found.rows[0]?.migration;
  if (floor !== undefined && !migrations.some(({ name }) => name === floor)) throw new SchemaTooNew(floor);
}

/** The database is older than the baseline, and no migration leads from there to this release. */
export class DatabaseTooOld extends CannotStart {
  constructor() {
    super(
      'DATABASE_URL, DATA_DIR: this database was made before release 0.2.0 and cannot be upgraded; start with an ' +
        'empty database, or an empty DATA_DIR.',
    );
  }
}

/** Checks that the database has the baseline. @param ran its executed migrations. @throws DatabaseTooOld */
export function refuseTooOld(ran: readonly string[]): void {
  if (ran.length > 0 && !ran.includes(BASELINE)) throw new DatabaseTooOld();
}

type Watched = { pool: Pool; clock: Clock; stopping: AbortSignal };

/** Reports once that this release may not run any more. A failed query is repeated a minute later. */
export async function watchFloor(
  { pool, clock, stopping }: Watched,
  tell: (error: SchemaTooNew) => void,
): Promise<void> {
  for (;;) {
    await clock.wait(EACH_MS, stopping);
    if (stopping.aborted) return;
    const refused = await refuseTooNew(pool).catch((error: unknown) => error);
    if (refused instanceof SchemaTooNew) return tell(refused);
  }
}
