// The oldest release that may run beside the schema: asked when a node starts, and each minute while it runs, since a newer one may raise it.
import type { Pool } from 'pg';
import type { Clock } from '../clock.ts';
import { CannotStart, VERSION } from '../config.ts';
import { listMigrations, listRan } from './migrations.ts';

const EACH_MS = 60_000;

/** The schema was changed beyond what this release can work with. */
export class SchemaTooNew extends CannotStart {
  constructor(migration: string) {
    super(
      `This release (${VERSION}) is too old for its database, which a newer one has changed for good: it does not know ${migration}. Start the newer release.`,
    );
    this.name = 'SchemaTooNew';
  }
}

/** @throws SchemaTooNew; an empty database, and one from before there was a floor, takes anybody */
export async function refuseTooNew(pool: Pool): Promise<void> {
  const found = await pool
    .query<{ migration: string }>('select migration from schema_floor where id = $1', ['floor'])
    .catch((error: { code?: string }) => {
      // There is no such table yet.
      if (error.code === '42P01') return { rows: [] };
      throw error;
    });
  const floor = found.rows[0]?.migration;
  if (floor !== undefined && !listMigrations().includes(floor)) throw new SchemaTooNew(floor);
}

/** Migrations that a newer release has run here, and this one does not know. */
export async function listUnknown(pool: Pool): Promise<string[]> {
  const known = new Set(listMigrations());
  return (await listRan(pool)).filter((name) => !known.has(name));
}

type Watched = { pool: Pool; clock: Clock; stopping: AbortSignal };

/** Calls `tell`, once, when this release may not run any more. What cannot be asked now is asked a minute later. */
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
