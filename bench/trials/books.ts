// The report of a trial: responses by status, seconds without a 201, and the money of database and rail.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { toMinor } from '../../shared/money.ts';
import type { Arrival } from '../kit/processes/merchant.ts';
import { showColumns } from '../kit/table.ts';
import type { TrialFixture } from './fixture.ts';
import type { PushResults } from './push-client.ts';

type Books = {
  acknowledged: number;
  /** Number of acknowledged payments that are missing in the database. */
  lost: number;
  /** Number of payments with more than one transaction, or with more than one approved purchase. */
  doubled: number;
  /** Number of payments without an outcome. */
  undecided: number;
  paid: number;
  /** Approved money at the rail, in minor units. */
  railMinor: number;
  ourMinor: number;
  /** Number of approved purchases without a transaction. `missingThere`: transactions without an approved purchase. */
  missingHere: number;
  missingThere: number;
  /** Number of paid payments without a webhook. */
  unnotified: number;
};

const SETTLED_WITHIN_MS = 180_000;

/** Ends the load, waits until all outcomes and webhooks are complete, and returns the report. */
export async function reportTrial(
  title: string,
  { databaseUrl, seconds, ...fixture }: TrialFixture & { databaseUrl: string; seconds: [string, string][] },
): Promise<string> {
  const { pushClient, merchant, nodes } = fixture;
  await pushClient.call('end');
  const results = await pushClient.call<PushResults>('collect');
  const notified = new Set<string>();
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  try {
    const until = Date.now() + SETTLED_WITHIN_MS;
    for (;;) {
      for (const { id } of await merchant.call<Arrival[]>('collect', { count: 0 })) notified.add(id);
      const books = await compareBooks(database, fixture, { results, notified });
      const open = books.undecided + books.missingHere + books.unnotified;
      if (open === 0 || Date.now() > until) return showReport(title, { books, results, seconds, nodes });
      await pause(500);
    }
  } finally {
    await database.end();
  }
}

type Evidence = { results: PushResults; notified: Set<string> };

async function compareBooks(
  database: pg.Pool,
  { rail }: TrialFixture,
  { results, notified }: Evidence,
): Promise<Books> {
  const payments = (await database.query<{ id: string; status: string }>('select id, status from payments')).rows;
  const money = (await database.query<Money>('select payment_id, provider_ref, amount_minor from transactions')).rows;
  const open = await database.query<{ count: number }>(COUNT_UNDECIDED);
  const approved = rail.books().filter(({ status }) => status === 'APPROVED');
  const paid = payments.filter(({ status }) => status === 'Paid');
  const known = new Set(payments.map(({ id }) => id));
  const here = new Set(money.map(({ provider_ref }) => provider_ref));
  const there = new Set(approved.map(({ transactionId }) => String(transactionId)));
  return {
    acknowledged: results.acknowledged.length,
    lost: results.acknowledged.filter(({ id }) => !known.has(id)).length,
    doubled: countRepeats(money.map((row) => row.payment_id)) + countRepeats(approved.map((row) => row.reference)),
    undecided: open.rows[0]?.count ?? 0,
    paid: paid.length,
    railMinor: approved.reduce((sum, { amount, currency }) => sum + minorOf(amount, currency), 0),
    ourMinor: money.reduce((sum, row) => sum + Number(row.amount_minor), 0),
    missingHere: [...there].filter((id) => !here.has(id)).length,
    missingThere: [...here].filter((id) => !there.has(id)).length,
    unnotified: paid.filter(({ id }) => !notified.has(id)).length,
  };
}

type Money = { payment_id: string; provider_ref: string; amount_minor: string };

const COUNT_UNDECIDED = `
select count(distinct p.id)::int as count from payments p left join attempts a on a.payment_id = p.id
where p.status = 'Processing' or a.status in ('Unsent', 'Unreached', 'Sent')`;

function minorOf(amount: string, currency: string): number {
  const read = toMinor(amount, currency);
  if (!('minor' in read)) throw new Error(`${amount} ${currency} is not an amount`);
  return read.minor;
}

function countRepeats(values: string[]): number {
  return values.length - new Set(values).size;
}

type Report = { books: Books; results: PushResults; seconds: [string, string][]; nodes: TrialFixture['nodes'] };

function showReport(title: string, { books, results, seconds, nodes }: Report): string {
  const answers = Object.entries(results.answers).map(([status, count]) => `${status}: ${count}`);
  const { acknowledged, paid, railMinor, ourMinor } = books;
  const ended = nodes.filter((node) => !node.isRunning()).length;
  const zero = (name: string, count: number, of: number) => [name, `${count} of ${of}`, count === 0 ? 'ok' : 'MISSED'];
  return showColumns([
    [title, '', ''],
    ['answers by status', answers.join(', '), ''],
    ...seconds.map(([name, value]) => [name, value, '']),
    zero('acknowledged payments lost', books.lost, acknowledged),
    zero('payments paid twice', books.doubled, acknowledged),
    zero('payments undecided', books.undecided, acknowledged),
    zero("the rail's money missing here", books.missingHere, paid),
    zero('our money missing at the rail', books.missingThere, paid),
    zero('minor units between both books', Math.abs(railMinor - ourMinor), railMinor),
    zero('paid payments without a webhook', books.unnotified, paid),
    zero('nodes that ended', ended, nodes.length),
  ]);
}

/** The longest time in seconds between two acknowledged payments. */
export function longestGapS({ acknowledged }: PushResults): number {
  const times = acknowledged.map(({ at }) => at).toSorted((a, b) => a - b);
  return Math.max(...times.slice(1).map((at, nth) => at - (times[nth] ?? at))) / 1000;
}
