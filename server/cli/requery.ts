// Asking a rail again: its rows are made due, running nodes claim them, and what became of them is read.
import type { Core } from '../core.ts';
import { inTransaction } from '../database/orm.ts';
import type { Db } from '../database/rows.ts';
import { leaseMs, pprLeaseMs } from '../due/schedule.ts';
import { recordAudit, type Actor } from '../events/audit.ts';
import { ATTEMPT_OPEN } from '../payments/entities.ts';
import type { Stuck } from './stuck-find.ts';

type Table = 'attempts' | 'payment_references' | 'terminals';

/** One row that was made due; of a terminal there is no payment. */
export type Asked = { table: Table; id: string; dueCount: number; paymentId: string | null };

/** What is to be asked about. */
export type Subject = Pick<Stuck, 'about' | 'id' | 'merchantId'>;

/** What a payment became, as far as one could wait. `isOpen`: the rail still says nothing final. */
export type Ended = { paymentId: string; status: string; isOpen: boolean };

/** What has no outcome, of each table. */
const IS_OPEN: Record<Table, string> = {
  attempts: ATTEMPT_OPEN,
  payment_references: `(status = 'Pending' and registered_at is null or status <> 'Pending' and withdrawn_at is null)`,
  terminals: `status in ('Opening', 'Closing')`,
};

/** The rows of a payment, with the captures that draw on it; or of a terminal. */
const OF_SUBJECT: Record<Table, string> = {
  attempts: `payment_id in (select id from payments where id = $1::uuid or authorization_id = $1)`,
  payment_references: 'payment_id = $1::uuid',
  terminals: 'id = $1::uuid',
};

/** Long ago: nodes' clocks may be behind this one. */
const SINCE: Record<Table, string> = {
  attempts: 'created_at',
  payment_references: 'created_at',
  terminals: 'changed_at',
};

/** Rows that are due within a call's time are left alone: they are asked about at this moment, or will be. */
const makeDueSql = (table: Table) => `update ${table} set due_at = ${SINCE[table]}
  where ${OF_SUBJECT[table]} and ${IS_OPEN[table]} and (due_at is null or due_at > $2::timestamptz)
  returning id, due_count, ${table === 'terminals' ? 'null' : 'payment_id'} as payment_id`;

const TABLES_OF: Record<Stuck['about'], readonly Table[]> = {
  payment: ['attempts', 'payment_references'],
  reference: ['payment_references'],
  terminal: ['terminals'],
};

/** Makes due what is open of these, each with its audit entry; answers what that is. */
export async function makeDue(core: Core, subjects: Subject[], actor: Actor): Promise<Asked[]> {
  const [at, lease] = [core.clock.now(), Math.max(leaseMs(core.config), pprLeaseMs(core.config))];
  const later = new Date(at.getTime() + lease);
  const asked: Asked[] = [];
  for (const subject of subjects) {
    const found = await inTransaction(core, (db) => makeOneDue(db, { ...subject, later }, { actor, at }));
    asked.push(...found);
  }
  return asked;
}

type Due = Subject & { later: Date };
type MadeDue = { id: string; due_count: number; payment_id: string | null };

async function makeOneDue(
  db: Db,
  { about, id, merchantId, later }: Due,
  by: { actor: Actor; at: Date },
): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const table of TABLES_OF[about]) {
    const { rows } = await db.pool.query<MadeDue>(makeDueSql(table), [id, later]);
    for (const row of rows) asked.push({ table, id: row.id, dueCount: row.due_count, paymentId: row.payment_id });
  }
  if (asked.length > 0) await recordAudit(db, { merchantId, target: id, action: `${about}.requeried`, ...by });
  return asked;
}

const LOOK_MS = 200;

/** Waits until all of it has an outcome, or is left to a person again, and answers what the payments are then. */
export async function followAsked(core: Core, asked: Asked[], waitMs: number): Promise<Ended[]> {
  const endMs = core.clock.now().getTime() + waitMs;
  while ((await hasOpen(core, asked)) && core.clock.now().getTime() < endMs) await pause(core, LOOK_MS);
  const { rows } = await core.pool.query<Ended>(
    `select p.id as "paymentId", p.status,
       exists (select from attempts where payment_id = p.id and ${IS_OPEN.attempts})
         or exists (select from payment_references where payment_id = p.id and ${IS_OPEN.payment_references}) as "isOpen"
     from payments p where p.id = any($1::uuid[]) order by p.created_at, p.id`,
    [asked.flatMap(({ paymentId }) => paymentId ?? [])],
  );
  return rows;
}

/** Claimed since, and due no more: then the rail was asked, and said nothing. */
async function hasOpen(core: Core, asked: Asked[]): Promise<boolean> {
  for (const { table, id, dueCount } of asked) {
    const isOpen = `id = $1::uuid and ${IS_OPEN[table]} and (due_count = $2 or due_at is not null)`;
    const { rowCount } = await core.pool.query(`select from ${table} where ${isOpen}`, [id, dueCount]);
    if (rowCount) return true;
  }
  return false;
}

/** The clock's own waits keep no process alive. */
function pause(core: Core, ms: number): Promise<void> {
  const awake = setInterval(() => {}, ms);
  return core.clock.wait(ms).finally(() => clearInterval(awake));
}
