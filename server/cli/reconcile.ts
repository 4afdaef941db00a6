// balcao reconcile: what rails took and gave back since a moment, beside what this gateway has; what it lost is made good.
import { z } from 'zod';
import { toDecimal } from '../../shared/money.ts';
import { compareSince, type Finding, type Looked } from '../books/since.ts';
import type { Core } from '../core.ts';
import { keepUnreadable } from '../rails/unreadable.ts';
import { keepUnmatched, settleUnmatched } from '../rails/unmatched.ts';
import { CommandError, drawTable, textOf, UsageError, type Call, type Output } from './command.ts';
import { commandOf, type Desk } from './subcommand.ts';

const DAY_MS = 86_400_000;
/** Rails do not list more. */
const MOST_DAYS = 35;

export const reconcile = commandOf({
  about: 'what rails took since a moment',
  takes: [],
  options: {
    since: {
      type: 'string',
      value: 'moment',
      about: 'from here on, such as 2026-11-24T10:15:00Z; absent: the last 24 hours',
    },
    'dry-run': { type: 'boolean', about: 'change nothing: say what there is' },
  },
  notes: `After a restore, or a failover that may have lost something: since the moment up to which the database surely has everything.
Orders that are known here are asked about. A payment that is not is made again as the rail's books have it, flagged recovered, where they say
whose it was; its merchant is told as of any other. The rest is kept for a person: money unmatched. May be run as often as you like.
Exit code 1 where a rail did not answer.`,
  run,
});

type Account = { rail: string; result: Looked['result']; listed: number; unreadable: number };
type Told = Finding & { rail: string };

async function run({ core, call, actor }: Desk): Promise<Output> {
  const since = readSince(call, core.clock.now());
  const isDry = call.values['dry-run'] === true;
  const accounts: Account[] = [];
  const findings: Told[] = [];
  for (const rail of [...core.rails.listAll('gpo'), ...core.rails.listAll('ppr')]) {
    const looked = await compareSince(core, { rail, since, actor: isDry ? null : actor });
    const name = rail.connector.name === 'balcao' ? rail.id : rail.label;
    accounts.push({ rail: name, result: looked.result, listed: looked.listed, unreadable: looked.unreadable.length });
    if (!isDry) await keepForPeople(core, rail.id, looked);
    findings.push(...looked.findings.map((found) => ({ rail: name, ...found })));
  }
  const text = describe(accounts, findings, since);
  if (accounts.some(({ result }) => result === 'unknown')) throw new CommandError(text, { isTemporary: true });
  return { text, json: { since, isDryRun: isDry, accounts, findings } };
}

const moment = z.iso.datetime({ offset: true });

/** @throws UsageError */
function readSince(call: Call, now: Date): Date {
  const text = textOf(call, 'since');
  if (text === undefined) return new Date(now.getTime() - DAY_MS);
  if (!moment.safeParse(text).success)
    throw new UsageError(`--since must be a moment such as 2026-11-24T10:15:00Z, not ${text}`);
  const since = new Date(text);
  const agoMs = now.getTime() - since.getTime();
  if (agoMs < 0) throw new UsageError('--since must not lie ahead');
  if (agoMs > MOST_DAYS * DAY_MS) throw new UsageError(`--since must be within the last ${MOST_DAYS} days`);
  return since;
}

/** Whatever nobody can be given stays to be looked at; what found its payment does not. */
async function keepForPeople(core: Core, railId: string, { findings, unreadable }: Looked): Promise<void> {
  await keepUnreadable(core, railId, unreadable);
  for (const { what, entry, why } of findings) {
    if (!entry) continue;
    if (what === 'missing_here') await keepUnmatched(core, railId, { ...entry, why });
    if (what === 'learned' || what === 'recovered') await settleUnmatched(core, railId, entry);
  }
}

const WHATS: Record<Finding['what'], string> = {
  learned: 'was missing, and is recorded now',
  recovered: 'its payment was lost, and is there again',
  missing_here: 'the rail has it, nobody here does',
  missing_there: 'is here, and the rail does not list it',
  amount: 'is not as much here',
};

const WHYS: Record<NonNullable<Finding['why']>, string> = {
  ordered: 'its order is ours, and does not tell of it',
  refund: 'given back for a refund that is not here',
  unnamed: 'the rail does not say what was ordered',
  nobody: 'it names no merchant, or several',
  amount: 'it took something else than was ordered',
  unconfirmed: 'asked about it, the rail did not say the same',
  other: 'what it names here is something else',
  known: '',
  recovered: '',
};

function describe(accounts: Account[], findings: Told[], since: Date): string {
  const looked = accounts.map(({ rail, result, listed, unreadable }) => {
    const also = unreadable > 0 ? `, and ${unreadable} that cannot be read` : '';
    if (result === 'unlisted')
      return `${rail}: cannot list what it took since a moment; its periods are compared as they close.`;
    return `${rail}: ${listed} movements${also}${result === 'unknown' ? '; then it did not answer: run this again' : ''}.`;
  });
  const rows = findings.map(({ rail, what, why, amountMinor, currency, ourAmountMinor, ...found }) => [
    rail,
    found.providerRef,
    `${toDecimal(amountMinor, currency)} ${currency}`,
    found.occurredAt,
    found.orderId,
    found.paymentId,
    [WHATS[what], why ? WHYS[why] : '', what === 'amount' ? toDecimal(ourAmountMinor ?? 0, currency) : '']
      .filter((part) => part !== '')
      .join(': '),
  ]);
  const heads = ['rail', 'money', 'amount', 'at', 'order', 'payment', 'what'];
  const head = `Since ${since.toISOString()}:`;
  return [head, ...looked, '', drawTable(heads, rows, 'Both sides have the same.')].join('\n');
}
