// balcao reconcile: compares rails' statements since a moment with this gateway's records, and adds missing payments.
import type { Command } from 'commander';
import { toDecimal } from '../../shared/money.ts';
import { compareSince, type Finding, type SinceComparison } from '../books/compare-since.ts';
import type { Core } from '../core.ts';
import { keepUnreadable } from '../rails/unreadable.ts';
import { keepUnmatched, settleUnmatched } from '../rails/unmatched.ts';
import { operate, type CommandContext } from './operate.ts';
import { CommandError, formatTable, readMoment, UsageError, type Output, type Shell } from './shell.ts';
import { DAY_MS } from '../../shared/durations.ts';

/** Statements of rails have no transactions older than this number of days. */
const MAX_DAYS = 35;

export const commands = { reconcile: defineReconcile };

function defineReconcile(command: Command, shell: Shell): void {
  command
    .option('--since <time>', 'ISO 8601, such as 2026-11-24T10:15:00Z (24 hours ago)', readMoment)
    .option('--dry-run', 'print the differences, and change nothing')
    .addHelpText(
      'after',
      `
After a restore, or a failover that may have lost writes, name the last moment for which the database is complete.
For orders that this gateway has, the command queries the rail. A missing payment is created again from the rail's
statement, with the flag recovered, if the statement names its merchant. The merchant is notified as usual.
The command money unmatched lists the rest. Safe to repeat. Exit code 1 means that a rail did not answer.`,
    )
    .action(operate(shell, reconcile));
}

type Account = { rail: string; result: SinceComparison['result']; listed: number; unreadable: number };
type RailFinding = Finding & { rail: string };

async function reconcile(
  { core, actor }: CommandContext,
  options: { since?: Date; dryRun?: boolean },
): Promise<Output> {
  const since = options.since ?? new Date(core.clock.now().getTime() - DAY_MS);
  requireRecent(since, core.clock.now());
  const isDry = options.dryRun === true;
  const accounts: Account[] = [];
  const findings: RailFinding[] = [];
  for (const rail of [...core.rails.listAll('gpo'), ...core.rails.listAll('ppr')]) {
    const looked = await compareSince(core, { rail, since, actor: isDry ? null : actor });
    const name = rail.connector.name === 'balcao' ? rail.id : rail.label;
    accounts.push({ rail: name, result: looked.result, listed: looked.listed, unreadable: looked.unreadable.length });
    if (!isDry) await storeForReview(core, rail.id, looked);
    findings.push(...looked.findings.map((found) => ({ rail: name, ...found })));
  }
  const rows = findings.map((found) => {
    const [amount, ours] = [found.amountMinor, found.ourAmountMinor].map(
      (minor) => minor !== null && `${toDecimal(minor, found.currency)} ${found.currency}`,
    );
    return { ...found, amount, ours };
  });
  const text = [
    formatTable(accounts, ['rail', 'result', 'listed', 'unreadable']),
    formatTable(rows, ['rail', 'providerRef', 'amount', 'ours', 'occurredAt', 'orderId', 'paymentId', 'what', 'why']),
  ].join('\n\n');
  if (accounts.some(({ result }) => result === 'unknown'))
    throw new CommandError(`A rail did not answer. Run the command again.\n${text}`, { isTemporary: true });
  return { text, json: { since, isDryRun: isDry, accounts, findings } };
}

/** Refuses a time before the rails' oldest transactions. @throws UsageError */
function requireRecent(since: Date, now: Date): void {
  const agoMs = now.getTime() - since.getTime();
  if (agoMs < 0) throw new UsageError('--since must not be in the future.');
  if (agoMs > MAX_DAYS * DAY_MS) throw new UsageError(`--since must be within the last ${MAX_DAYS} days.`);
}

/** Stores money without a payment for manual review, and removes the record once its payment is found. */
async function storeForReview(core: Core, railId: string, { findings, unreadable }: SinceComparison): Promise<void> {
  await keepUnreadable(core, railId, unreadable);
  for (const { what, entry, why } of findings) {
    if (!entry) continue;
    if (what === 'missing_here') await keepUnmatched(core, railId, { ...entry, why });
    if (what === 'learned' || what === 'recovered') await settleUnmatched(core, railId, entry);
  }
}
