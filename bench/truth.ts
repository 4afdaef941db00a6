// The end of every trial: what was acknowledged, what the database holds, what the rail's books hold and what the merchant was told are
// one and the same; or each difference, counted.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Child } from './child.ts';
import type { Sale } from './processes/till.ts';
import type { Shopped } from './processes/shopper.ts';
import { toMinor } from '../shared/money.ts';

export type Truth = {
  acknowledged: number;
  /** Acknowledged and not in the database. */
  lost: string[];
  /** Payments with more than one transaction, or more than one order approved at the rail. */
  doubled: number;
  /** Without an outcome by now. */
  undecided: number;
  /** The rail's money that is not in our books, by its id; and ours that is not in the rail's. */
  onlyThere: Sale[];
  onlyHere: number;
  /** Minor units: of the rail's books, and of ours. */
  thereMinor: number;
  hereMinor: number;
  paid: number;
  /** Payments that are paid and whose merchant was never told; and told more than once. */
  untold: number;
  toldAgain: number;
};

export type Witnesses = { database: pg.Pool; till: Child; shopper: Child };

type Row = { id: string; status: string };
type Money = { payment_id: string; provider_ref: string; amount_minor: string };

/** As it stands now. */
export async function compareAll({ database, till, shopper }: Witnesses): Promise<Truth> {
  const { acknowledged } = await shopper.ask<Shopped>('collect');
  const told = new Map(await shopper.ask<[string, number][]>('told'));
  const sales = await till.ask<Sale[]>('books');
  const payments = (await database.query<Row>('select id, status from payments')).rows;
  const money = (await database.query<Money>('select payment_id, provider_ref, amount_minor from transactions')).rows;
  const open = await database.query<{ n: number }>(
    `select count(distinct p.id)::int as n from payments p left join attempts a on a.payment_id = p.id
     where p.status = 'Processing' or a.status in ('Unsent', 'Unreached', 'Sent')`,
  );
  const held = new Set(payments.map(({ id }) => id));
  const approved = sales.filter(({ status }) => status === 'APPROVED');
  const ours = new Set(money.map((one) => one.provider_ref));
  const theirs = new Set(approved.map(({ transactionId }) => String(transactionId)));
  const paid = payments.filter(({ status }) => status === 'Paid').map(({ id }) => id);
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id }) => !held.has(id)).map(({ id }) => id),
    doubled: countRepeats(money.map((one) => one.payment_id)) + countRepeats(approved.map((one) => one.reference)),
    undecided: open.rows[0]?.n ?? 0,
    onlyThere: approved.filter(({ transactionId }) => !ours.has(String(transactionId))),
    onlyHere: money.filter((one) => !theirs.has(one.provider_ref)).length,
    thereMinor: approved.reduce((sum, { amount, currency }) => sum + minorOf(amount, currency), 0),
    hereMinor: money.reduce((sum, one) => sum + Number(one.amount_minor), 0),
    paid: paid.length,
    untold: paid.filter((id) => !told.has(id)).length,
    toldAgain: [...told.values()].filter((times) => times > 1).length,
  };
}

/** Once nothing is open any more, or after so long. */
export async function untilSettled(witnesses: Witnesses, atMostMs: number): Promise<Truth> {
  const until = Date.now() + atMostMs;
  for (;;) {
    const truth = await compareAll(witnesses);
    const isSettled = truth.undecided === 0 && truth.untold === 0 && truth.onlyThere.length === 0;
    if (isSettled || Date.now() > until) return truth;
    await pause(500);
  }
}

function minorOf(amount: string, currency: string): number {
  const read = toMinor(amount, currency);
  if (!('minor' in read)) throw new Error(`${amount} ${currency} is no amount`);
  return read.minor;
}

function countRepeats(values: string[]): number {
  return values.length - new Set(values).size;
}

/** In one line, for who runs the bench. */
export function showTruth(truth: Truth): string {
  const { lost, onlyThere, ...counts } = truth;
  return JSON.stringify({ ...counts, lost: lost.length, onlyThere: onlyThere.length });
}
