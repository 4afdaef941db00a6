// What of a payment lies in archived months.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { FIRST, rowsOf } from './archive.sql.ts';
import { ArchiveDamaged, fileOf, readPayment, type ArchivedRow } from './file.ts';

export type ArchivedEventRow = {
  seq: number;
  id: string;
  type: string;
  status: string | null;
  occurredAt: Date;
  details: Record<string, unknown>;
};

type Reader = Pick<Core, 'pool' | 'orm' | 'listeners' | 'config' | 'log'>;

/**
 * A payment's archived events, in their order, without what told of its payer. A file that is not to be had is told in the log, and its
 * events are left out.
 */
export async function readArchived(core: Reader, paymentId: string): Promise<ArchivedEventRow[]> {
  const parts = await findParts.all(core, { paymentId });
  const rows: ArchivedRow[] = [];
  for (const { part, droppedAt } of parts.toSorted(byAge)) {
    rows.push(...(droppedAt ? await readFile(core, part, paymentId) : await readDetached(core, part, paymentId)));
  }
  return rows.filter(({ table }) => table === 'events').map(viewRow);
}

/** The first is older than any month. */
const byAge = (a: { part: string }, b: { part: string }) => orderOf(a.part).localeCompare(orderOf(b.part));
const orderOf = (part: string) => (part === FIRST ? '' : part);

/** Only of those that are no part of their table any more. */
const findParts = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('archived_events as e')
    .innerJoin('archives as a', 'a.part', 'e.part')
    .where('e.paymentId', '=', paymentId)
    .select(['a.part', 'a.droppedAt'])
    .distinct(),
);

async function readFile({ config, log }: Reader, part: string, paymentId: string): Promise<ArchivedRow[]> {
  try {
    if (!config.ARCHIVE_DIR) throw new ArchiveDamaged(fileOf('', part), 'ARCHIVE_DIR is not set');
    return await readPayment(fileOf(config.ARCHIVE_DIR, part), paymentId);
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    log.error({ err: error, paymentId }, 'an archive could not be read');
    return [];
  }
}

/** While its file is being written. */
async function readDetached(core: Reader, part: string, paymentId: string): Promise<ArchivedRow[]> {
  const text = rowsOf(part, 'payment_id = $1::uuid');
  const { rows } = await core.pool
    .query<{ line: string }>({ text, values: [paymentId] })
    .catch((error: { code?: string }) => {
      // It was dropped in this very moment, and is in its file.
      if (error.code === '42P01') return { rows: null };
      throw error;
    });
  return rows ? rows.map(({ line }) => JSON.parse(line) as ArchivedRow) : readFile(core, part, paymentId);
}

function viewRow(row: ArchivedRow): ArchivedEventRow {
  const { seq, id, type, status, occurred_at: at, details } = row as ArchivedRow & Record<string, any>;
  return { seq, id, type, status, occurredAt: new Date(at), details };
}
