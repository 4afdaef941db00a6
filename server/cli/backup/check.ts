// Checks a database: its migrations, whether its secrets open, and whether each payment's money is that of its transactions.
import { sql } from 'kysely';
import type { Core } from '../../core.ts';
import { query, type Tables } from '../../database/db.ts';
import { isMigrated } from '../../database/migrate.ts';
import { inSnapshot } from '../../database/orm.ts';
import { listUnopened } from '../../sealed.ts';
import { withDatabase } from '../database.ts';
import { alignRows, CommandError, type Output, type Shell } from '../shell.ts';

type Finding = { name: string; isFine: boolean; about: string };

const SHOWN_AT_MOST = 5;

/** @throws CommandError with every finding if one is wrong */
export async function checkWhole(shell: Shell): Promise<Output> {
  const work = async (core: Core) => ({
    findings: await checkDatabase(core),
    lastMoneyAt: (await findLast.one(core)).at,
  });
  const json = await withDatabase(shell, work, { storeAlone: true });
  const rows = json.findings.map(({ name, isFine, about }) => [name, `${isFine ? 'fine ' : 'WRONG'}  ${about}`]);
  const text = alignRows([...rows, ['last money', json.lastMoneyAt?.toISOString() ?? '-']]);
  if (json.findings.some(({ isFine }) => !isFine)) throw new CommandError(text);
  return { text, json };
}

/** Reads only. */
async function checkDatabase(core: Core): Promise<Finding[]> {
  const unopened = await listUnopened(core);
  const isCurrent = await isMigrated(core);
  const { payments, refunds, rows } = await inSnapshot(core, async (db) => {
    const rows: string[] = [];
    for (const table of COUNTED) rows.push(`${table} ${(await countRows(table).one(db)).count}`);
    return { payments: await findUnbalanced.all(db), refunds: await findExcessive.all(db), rows };
  });
  return [
    { name: 'schema', isFine: isCurrent, about: isCurrent ? 'of this release' : 'migrations are missing' },
    judge('keys', unopened, 'every secret opens', 'secrets open with no key'),
    judge('payments', idsOf(payments), 'the money of each is that of its transactions', 'payments have other money'),
    judge('refunds', idsOf(refunds), 'no transaction returned more than it took', 'transactions returned too much'),
    { name: 'rows', isFine: true, about: rows.join(', ') },
  ];
}

function judge(name: string, wrong: string[], fine: string, bad: string): Finding {
  const more = wrong.length > SHOWN_AT_MOST ? ' …' : '';
  const shown = wrong.slice(0, SHOWN_AT_MOST).join(', ');
  return {
    name,
    isFine: wrong.length === 0,
    about: wrong.length === 0 ? fine : `${wrong.length} ${bad}: ${shown}${more}`,
  };
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

const COUNTED = ['merchants', 'payments', 'transactions', 'refunds', 'events', 'deliveries'] as const;

const countRows = (table: keyof Tables & (typeof COUNTED)[number]) =>
  query((tables) => tables.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count')));

/** Money of another currency is not added (payments/core/record-transaction.ts). */
const findUnbalanced = query((tables) =>
  tables
    .selectFrom('payments as p')
    .leftJoin('transactions as t', (join) =>
      join.onRef('t.paymentId', '=', 'p.id').onRef('t.currency', '=', 'p.currency'),
    )
    .select('p.id')
    .groupBy('p.id')
    .having((eb) => eb('p.amountPaidMinor', '<>', sql<number>`coalesce(sum(${eb.ref('t.amountMinor')}), 0)`))
    .limit(1_000),
);

/** Late refunds are left out: a rail that returned too much raised `refund.excess` when it happened. */
const findExcessive = query((tables) =>
  tables
    .selectFrom('transactions as t')
    .innerJoin('refunds as r', 'r.transactionId', 't.id')
    .where('r.status', '=', 'Succeeded')
    .where('r.late', '=', false)
    .select('t.id')
    .groupBy('t.id')
    .having((eb) => eb(sql<number>`sum(${eb.ref('r.amountMinor')})`, '>', eb.ref('t.amountMinor')))
    .limit(1_000),
);

const findLast = query((tables) => tables.selectFrom('transactions').select((eb) => eb.fn.max('createdAt').as('at')));
