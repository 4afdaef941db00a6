// balcao stuck: lists payments, terminals and references without an outcome, and makes nodes query their rail again.
import type { Command } from 'commander';
import type { Expression, SqlBool } from 'kysely';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { leaseMs, pprLeaseMs } from '../jobs/schedule.ts';
import { operate, type CommandContext } from './operate.ts';
import { CommandError, readCount, readId, type Output, type Shell } from './shell.ts';
import { findStuck, isOpenAttempt, isOpenReference, isOpenTerminal, type Stuck } from './stuck-find.ts';
import { MINUTE_MS } from '../../shared/durations.ts';

type Options = { olderThan: number };

export const commands = { stuck: defineStuck };

function defineStuck(stuck: Command, shell: Shell): void {
  const readMinutes = readCount(0, 60 * 24 * 365);
  stuck
    .command('list')
    .description('list payments, terminals and references without an outcome, each with the reason')
    .option('--older-than <minutes>', 'without an outcome for longer than this', readMinutes, 60)
    .addHelpText('after', '\nThe list always includes orders older than three days, which nodes no longer query.')
    .action(operate(shell, showStuck));
  stuck
    .command('requery')
    .description('let running nodes query the rail again now')
    .argument('<paymentId|all>', 'one payment, or all', (text) => (text === 'all' ? text : readId(text)))
    .option('--older-than <minutes>', 'with all: only those without an outcome for longer', readMinutes, 60)
    .addHelpText('after', '\nSends no order again: it only queries the outcome of existing ones.')
    .action(operate(shell, requery));
}

async function showStuck({ core }: CommandContext, { olderThan }: Options): Promise<Output> {
  const found = await findStuck(core, new Date(core.clock.now().getTime() - olderThan * MINUTE_MS));
  const columns = ['id', 'merchant', 'name', 'amount', 'status', 'asked', 'since', 'times', 'nextAt', 'reason'];
  return { json: found, columns };
}

async function requery({ core, actor }: CommandContext, id: string, { olderThan }: Options): Promise<Output> {
  const now = core.clock.now();
  const isAll = id === 'all';
  const before = isAll ? new Date(now.getTime() - olderThan * MINUTE_MS) : now;
  const stuck = (await findStuck(core, before)).filter((one) => isAll || one.id === id);
  const later = new Date(now.getTime() + Math.max(leaseMs(core.config), pprLeaseMs(core.config)));
  const due = { at: new Date(now.getTime() - MINUTE_MS), later };
  const requeried: Stuck[] = [];
  for (const one of stuck) {
    const isDue = await inTransaction(core, async (db) => {
      if (!(await makeDue(db, one, due))) return false;
      const { about, id: target, merchantId } = one;
      await recordAudit(db, { merchantId, target, action: `${about}.requeried`, actor, at: now });
      return true;
    });
    if (isDue) requeried.push(one);
  }
  if (!isAll && requeried.length === 0)
    throw new CommandError('No order of this payment is open, or a node queries the rail right now.');
  const paymentIds = requeried.flatMap(({ about, id }) => (about === 'terminal' ? [] : id));
  return { json: { asked: requeried.length, paymentIds: [...new Set(paymentIds)] } };
}

/** The times of the next query. `at` is in the past, because a node's clock may be slow. */
type Due = { at: Date; later: Date };

/** Makes a row due. Returns false for a row with an outcome, or with a query now or within the time of one call. */
async function makeDue(db: Db, { about, id, orderId }: Stuck, due: Due): Promise<boolean> {
  const rowId = about === 'terminal' ? id : orderId;
  return rowId !== null && (await DUE[about].all(db, { id: rowId, ...due })).length > 0;
}

const setDue = (table: 'attempts' | 'payment_references' | 'terminals', isOpen: () => Expression<SqlBool>) =>
  prepared((tables, { id, at, later }: Due & { id: string }) =>
    tables
      // All three tables have these columns: `attempts`, `payment_references` and `terminals`.
      .updateTable(table as 'attempts')
      .set({ dueAt: at })
      .where('id', '=', id)
      .where(isOpen())
      .where((eb) => eb.or([eb('dueAt', 'is', null), eb('dueAt', '>', later)]))
      .returning('id'),
  );

const DUE = {
  payment: setDue('attempts', isOpenAttempt),
  reference: setDue('payment_references', isOpenReference),
  terminal: setDue('terminals', isOpenTerminal),
};
