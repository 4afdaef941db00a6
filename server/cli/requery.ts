// Asking a rail again: its rows are made due, running nodes claim them, and what became of them is read.
import { expressionBuilder } from 'kysely';
import type { Core } from '../core.ts';
import { isAny, prepared, type Db, type Prepared, type Tables } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { leaseMs, pprLeaseMs } from '../jobs/schedule.ts';
import { recordAudit, type Actor } from '../audit/record.ts';
import { isOpenAttempt, isOpenReference, isOpenTerminal } from './database.ts';
import type { Stuck } from './stuck-find.ts';

type Table = 'attempts' | 'payment_references' | 'terminals';

/** One row that was made due; of a terminal there is no payment. */
export type ClaimedRow = { table: Table; id: string; dueCount: number; paymentId: string | null };

/** What is to be asked about. */
export type StuckSubject = Pick<Stuck, 'about' | 'id' | 'merchantId'>;

/** What a payment became, as far as one could wait. `isOpen`: the rail still says nothing final. */
export type RequeryResult = { paymentId: string; status: string; isOpen: boolean };

type Due = { id: string; later: Date };
type Looked = { id: string; dueCount: number };
type MadeDue = { id: string; dueCount: number; paymentId: string | null };

const ofTable = expressionBuilder<Tables, Table>();

/** Long ago: nodes' clocks may be behind this one. */
const [createdAt, changedAt] = [ofTable.ref('createdAt'), ofTable.ref('changedAt')];

/** Rows that are due within a call's time are left alone: they are asked about at this moment, or will be. */
const isLeft = (later: Date) => ofTable.or([ofTable('dueAt', 'is', null), ofTable('dueAt', '>', later)]);

/** Not claimed since, or due again: one that was claimed and is due no more was asked about, and nothing was said. */
const isUntold = ({ id, dueCount }: Looked) =>
  ofTable.and([
    ofTable('id', '=', id),
    ofTable.or([ofTable('dueCount', '=', dueCount), ofTable('dueAt', 'is not', null)]),
  ]);

/** What has no outcome, of each table: made due, and found later. */
const OPEN: Record<Table, { makeDue: Prepared<Due, MadeDue>; find: Prepared<Looked, object> }> = {
  attempts: {
    makeDue: prepared((tables, { id, later }: Due) =>
      tables
        .updateTable('attempts')
        .set({ dueAt: createdAt })
        // With the captures that draw on it.
        .where('paymentId', 'in', (eb) =>
          eb
            .selectFrom('payments')
            .select('payments.id')
            .where((of) => of.or([of('payments.id', '=', id), of('payments.authorizationId', '=', id)])),
        )
        .where(isOpenAttempt())
        .where(isLeft(later))
        .returning(['id', 'dueCount', 'paymentId']),
    ),
    find: prepared((tables, looked: Looked) =>
      tables.selectFrom('attempts').select('id').where(isOpenAttempt()).where(isUntold(looked)),
    ),
  },
  payment_references: {
    makeDue: prepared((tables, { id, later }: Due) =>
      tables
        .updateTable('payment_references')
        .set({ dueAt: createdAt })
        .where('paymentId', '=', id)
        .where(isOpenReference())
        .where(isLeft(later))
        .returning(['id', 'dueCount', 'paymentId']),
    ),
    find: prepared((tables, looked: Looked) =>
      tables.selectFrom('payment_references').select('id').where(isOpenReference()).where(isUntold(looked)),
    ),
  },
  terminals: {
    makeDue: prepared((tables, { id, later }: Due) =>
      tables
        .updateTable('terminals')
        .set({ dueAt: changedAt })
        .where('id', '=', id)
        .where(isOpenTerminal())
        .where(isLeft(later))
        .returning((eb) => ['id', 'dueCount', eb.lit(null).as('paymentId')]),
    ),
    find: prepared((tables, looked: Looked) =>
      tables.selectFrom('terminals').select('id').where(isOpenTerminal()).where(isUntold(looked)),
    ),
  },
};

const TABLES_OF: Record<Stuck['about'], readonly Table[]> = {
  payment: ['attempts', 'payment_references'],
  reference: ['payment_references'],
  terminal: ['terminals'],
};

/** Makes due what is open of these, each with its audit entry; answers what that is. */
export async function makeDue(core: Core, subjects: StuckSubject[], actor: Actor): Promise<ClaimedRow[]> {
  const [at, lease] = [core.clock.now(), Math.max(leaseMs(core.config), pprLeaseMs(core.config))];
  const later = new Date(at.getTime() + lease);
  const asked: ClaimedRow[] = [];
  for (const subject of subjects) {
    const found = await inTransaction(core, (db) => makeOneDue(db, { ...subject, later }, { actor, at }));
    asked.push(...found);
  }
  return asked;
}

async function makeOneDue(
  db: Db,
  { about, id, merchantId, later }: StuckSubject & Due,
  by: { actor: Actor; at: Date },
): Promise<ClaimedRow[]> {
  const asked: ClaimedRow[] = [];
  for (const table of TABLES_OF[about]) {
    const made = await OPEN[table].makeDue.all(db, { id, later });
    asked.push(...made.map((row) => ({ table, ...row })));
  }
  if (asked.length > 0) await recordAudit(db, { merchantId, target: id, action: `${about}.requeried`, ...by });
  return asked;
}

const LOOK_MS = 200;

/** Waits until all of it has an outcome, or is left to a person again, and answers what the payments are then. */
export async function followAsked(core: Core, asked: ClaimedRow[], waitMs: number): Promise<RequeryResult[]> {
  const endMs = core.clock.now().getTime() + waitMs;
  while ((await hasOpen(core, asked)) && core.clock.now().getTime() < endMs) await pause(core, LOOK_MS);
  return readEnded.all(core, { ids: asked.flatMap(({ paymentId }) => paymentId ?? []) });
}

const readEnded = prepared((tables, { ids }: { ids: string[] }) =>
  tables
    .selectFrom('payments')
    .select(['payments.id as paymentId', 'payments.status'])
    .select((eb) => {
      const attempts = eb.selectFrom('attempts').select('attempts.id').where(isOpenAttempt());
      const references = eb.selectFrom('payment_references').select('payment_references.id').where(isOpenReference());
      return eb
        .or([
          eb.exists(attempts.whereRef('attempts.paymentId', '=', 'payments.id')),
          eb.exists(references.whereRef('payment_references.paymentId', '=', 'payments.id')),
        ])
        .$castTo<boolean>()
        .as('isOpen');
    })
    .where('payments.id', ...isAny(ids))
    .orderBy('payments.createdAt')
    .orderBy('payments.id'),
);

async function hasOpen(core: Core, asked: ClaimedRow[]): Promise<boolean> {
  for (const { table, id, dueCount } of asked) {
    if (await OPEN[table].find.first(core, { id, dueCount })) return true;
  }
  return false;
}

/** The clock's own waits keep no process alive. */
function pause(core: Core, ms: number): Promise<void> {
  const awake = setInterval(() => {}, ms);
  return core.clock.wait(ms).finally(() => clearInterval(awake));
}
