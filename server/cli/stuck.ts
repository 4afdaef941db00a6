// balcao stuck: what waits for a person, or for a rail, with the reason; and asking the rail again at once.
import { em } from '../database/db.ts';
import { Payment } from '../payments/core/entities.ts';
import type { Desk, Group } from './subcommand.ts';
import { CommandError, drawTable, readCount, readId, textOf, type Output } from './command.ts';
import { followAsked, makeDue, type StuckSubject } from './requery.ts';
import { findStuck } from './stuck-find.ts';

const MINUTE_MS = 60_000;
const MOST_MINUTES = 60 * 24 * 365;

const OLDER_THAN = {
  'older-than': { type: 'string', value: 'minutes', default: '60', about: 'without an outcome for longer than this' },
} as const;

export const stuck: Group = {
  list: {
    about: 'payments, terminals and references without an outcome, each with the reason',
    takes: [],
    options: OLDER_THAN,
    notes: 'Whatever nobody asks about any more (after three days) is always among them.',
    run: showStuck,
  },
  requery: {
    about: 'have running nodes ask the rail again now',
    takes: ['paymentId|all'],
    options: {
      wait: { type: 'string', value: 'seconds', about: 'wait for what becomes of it, at most so long' },
      ...OLDER_THAN,
    },
    notes:
      'Nothing is ordered anew: the rail takes an order once, and is asked how it went. all: everything that stuck list names.',
    run: requery,
  },
};

async function showStuck({ core, call }: Desk): Promise<Output> {
  const found = await findStuck(core, readBefore({ core, call }));
  const rows = found.map(({ id, merchant, name, amount, status, asked, since, times, nextAt, reason }) => [
    id,
    merchant,
    name,
    amount,
    status,
    asked,
    since,
    times,
    nextAt ?? 'a person',
    reason,
  ]);
  const heads = ['id', 'merchant', 'name', 'amount', 'status', 'asked to', 'since', 'times', 'next', 'why'];
  return { text: drawTable(heads, rows, 'Nothing is stuck.'), json: found };
}

async function requery(desk: Desk): Promise<Output> {
  const { core, actor, call, given } = desk;
  const waitText = textOf(call, 'wait');
  const waitMs = waitText === undefined ? 0 : readCount(waitText, '--wait', { least: 1, most: 3_600 }) * 1_000;
  const isAll = given[0] === 'all';
  const subjects = isAll ? await findStuck(core, readBefore(desk)) : [await findSubject(desk)];
  const asked = await makeDue(core, subjects, actor);
  if (!isAll && asked.length === 0)
    throw new CommandError('Nothing of it is open, or the rail is being asked right now.');
  const ended = waitMs > 0 ? await followAsked(core, asked, waitMs) : [];
  const lines = ended.map(({ paymentId, status, isOpen }) => `${paymentId}: ${status}${isOpen ? ', still open' : ''}`);
  const head =
    asked.length === 1 ? 'The rail is asked again about 1.' : `The rail is asked again about ${asked.length}.`;
  const json = { asked: asked.length, paymentIds: paymentsOf(asked), ...(waitMs > 0 && { ended }) };
  return { text: [head, ...lines].join('\n'), json };
}

const paymentsOf = (asked: { paymentId: string | null }[]) => [
  ...new Set(asked.flatMap(({ paymentId }) => paymentId ?? [])),
];

/** @throws CommandError */
async function findSubject({ core, given }: Desk): Promise<StuckSubject> {
  const id = readId(given[0], 'paymentId');
  const payment = await em(core).findOne(Payment, { id });
  if (!payment) throw new CommandError(`There is no payment ${id}.`);
  return { about: 'payment', id, merchantId: payment.merchantId };
}

function readBefore({ core, call }: Pick<Desk, 'core' | 'call'>): Date {
  const minutes = readCount(textOf(call, 'older-than'), '--older-than', { most: MOST_MINUTES });
  return new Date(core.clock.now().getTime() - minutes * MINUTE_MS);
}
