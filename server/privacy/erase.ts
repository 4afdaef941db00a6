// Erasing one person: each table's own way of losing them. Books stay, without who it was; nothing that is still needed is taken away.
import { sql } from 'kysely';
import { isFinal, PAYMENT_STATUSES } from '../../shared/status.ts';
import { isAny, prepared } from '../database/db.ts';
import type { Left } from './entities.ts';
import { SMS_WAYS } from './erase-sms.ts';
import { forgetPayments } from './forget.ts';
import { findParts, PARTS, readRows, withRelated, type Row, type Scope, type Walk } from './reach.ts';
import { redactRows, type Erased, type Erasing, type ErasingCore, type Way } from './redact.ts';
import { patternOf } from './subject.ts';

/** Erases them from these rows of a table; `core` has the transaction of it. */
export async function eraseRows(core: ErasingCore, walk: Walk, scope: Scope, keys: string[][]): Promise<Erased> {
  if (keys.length === 0) return { counts: {}, left: [] };
  if (walk.table === 'payments') return erasePayments(core, scope, keys.flat());
  const rows = await readRows(core, NEEDED[walk.table] ?? walk, keys, { forUpdate: true });
  const erase = WAYS[walk.table] ?? redactRows;
  return erase(core, { walk, scope, rows });
}

const WAYS: Partial<Record<string, Way>> = {
  ...SMS_WAYS,
  mails: redactSettled,
  inbox: redactSettled,
};

const id = { column: 'id', type: 'uuid' } as const;

/** What must be known besides, to tell what is still needed. */
const NEEDED: Partial<Record<string, Pick<Walk, 'table' | 'key' | 'shown'>>> = {
  sms_messages: { table: 'sms_messages', key: [id], shown: ['batchId', 'status', 'listedAt'] },
  mails: { table: 'mails', key: [id], shown: ['dueAt'] },
  inbox: { table: 'inbox', key: [id], shown: ['dueAt'] },
};

/** Payments that are over and told of lose their person; others are left. */
async function erasePayments(core: ErasingCore, scope: Scope, found: string[]): Promise<Erased> {
  const ids = await withRelated(core, found);
  // Whatever moves a payment locks it first: what is over now stays so until the end.
  await lockPayments.run(core, { ids });
  const open = new Set((await findOpen.all(core, { ids })).map(({ id }) => id));
  const closed = ids.filter((id) => !open.has(id));
  await forgetPayments(core, closed);
  await eraseReferences.run(core, { ids: closed, pattern: patternOf(scope.subject) });
  for (const part of PARTS) {
    const named = await findParts(core, part, closed, scope.subject);
    if (named.length > 0)
      await redactRows(core, { walk: part, scope, rows: await readRows(core, part, named, { forUpdate: true }) });
  }
  return {
    counts: { payments: closed.length },
    left: [...open].map((id) => ({ table: 'payments', id })),
  };
}

type Ids = { ids: string[] };

const lockPayments = prepared((tables, { ids }: Ids) =>
  tables
    .selectFrom('payments')
    .select('id')
    .where('id', ...isAny(ids))
    .orderBy('id')
    .forNoKeyUpdate(),
);

/** Not over, asked about, on its way back, or not yet told to the merchant. */
const findOpen = prepared((tables, { ids }: Ids) =>
  tables
    .selectFrom('payments as p')
    .select('p.id')
    .where('p.id', ...isAny(ids))
    .where((eb) =>
      eb.or([
        eb('p.status', 'not in', PAYMENT_STATUSES.filter(isFinal)),
        eb('p.dueAt', 'is not', null),
        eb.exists(
          eb
            .selectFrom('attempts as a')
            .select('a.id')
            .whereRef('a.paymentId', '=', 'p.id')
            .where('a.dueAt', 'is not', null),
        ),
        eb.exists(
          eb
            .selectFrom('deliveries as d')
            .select('d.id')
            .whereRef('d.paymentId', '=', 'p.id')
            .where('d.dueAt', 'is not', null),
        ),
        eb.exists(
          eb
            .selectFrom('refunds as r')
            .select('r.id')
            .whereRef('r.paymentId', '=', 'p.id')
            .where('r.completedAt', 'is', null),
        ),
      ]),
    ),
);

/** A merchant's own name of a payment, where it is a number or an address; unlike any other, as it may be claimed. */
const eraseReferences = prepared((tables, { ids, pattern }: Ids & { pattern: string }) =>
  tables
    .updateTable('payments')
    .set({
      reference: sql<string>`'erased-' || id`,
      referenceClaim: sql<string | null>`case when reference_claim is null then null else 'erased-' || id end`,
    })
    .where('id', ...isAny(ids))
    .where(sql<boolean>`reference ~* ${pattern}`),
);

/** Those that nobody is working on; what is, is left. */
async function redactSettled(core: ErasingCore, { walk, scope, rows }: Erasing): Promise<Erased> {
  const isDue = ({ dueAt }: Row) => dueAt !== null;
  const { counts } = await redactRows(core, { walk, scope, rows: rows.filter((row) => !isDue(row)) });
  const table = walk.table as Left['table'];
  return { counts, left: rows.filter(isDue).map((row) => ({ table, id: String(row['id']) })) };
}
