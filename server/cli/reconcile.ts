// balcao reconcile: compares the books of rails since a moment with this gateway's, and records missing payments.
import type { Command } from 'commander';
import { toDecimal } from '../../shared/money.ts';
import { compareSince, type Finding, type SinceComparison } from '../books/since.ts';
import type { Core } from '../core.ts';
import { keepUnreadable } from '../rails/unreadable.ts';
import { keepUnmatched, settleUnmatched } from '../rails/unmatched.ts';
import { operate, type Desk } from './operate.ts';
import { CommandError, drawTable, readMoment, UsageError, type Output, type Shell } from './shell.ts';
import { DAY_MS } from '../../shared/durations.ts';

/** Rails do not list more. */
const MAX_DAYS = 35;

export const commands = { reconcile: defineReconcile };

function defineReconcile(command: Command, shell: Shell): void {
  command
    .option('--since <time>', 'ISO 8601, such as 2026-11-24T10:15:00Z (24 hours ago)', readMoment)
    .option('--dry-run', 'print the differences, and change nothing')
    .addHelpText(
      'after',
      `
After a restore, or a failover that may have lost writes, name the moment up to which the database surely has everything.
The rail is queried about orders that this gateway knows. Another payment is created again as the rail's books have it,
with the flag recovered, if the books say whose it was. Its merchant is notified as of any other.
The command money unmatched lists the rest. It is safe to repeat. Exit code 1 means that a rail did not answer.`,
    )
    .action(operate(shell, reconcile));
}

type Account = { rail: string; result: SinceComparison['result']; listed: number; unreadable: number };
type RailFinding = Finding & { rail: string };

async function reconcile({ core, actor }: Desk, options: { since?: Date; dryRun?: boolean }): Promise<Output> {
  const since = options.since ?? new Date(core.clock.now().getTime() - DAY_MS);
  requireRecent(since, core.clock.now());
  const isDry = options.dryRun === true;
  const accounts: Account[] = [];
  const findings: RailFinding[] = [];
  for (const rail of [...core.rails.listAll('gpo'), ...core.rails.listAll('ppr')]) {
    const looked = await compareSince(core, { rail, since, actor: isDry ? null : actor });
    const name = rail.connector.name === 'balcao' ? rail.id : rail.label;
    accounts.push({ rail: name, result: looked.result, listed: looked.listed, unreadable: looked.unreadable.length });
    if (!isDry) await keepForPeople(core, rail.id, looked);
    findings.push(...looked.findings.map((found) => ({ rail: name, ...found })));
  }
  const rows = findings.map((found) => {
    const [amount, ours] = [found.amountMinor, found.ourAmountMinor].map(
      (minor) => minor !== null && `${toDecimal(minor, found.currency)} ${found.currency}`,
    );
    return { ...found, amount, ours };
  });
  const text = [
    drawTable(accounts, ['rail', 'result', 'listed', 'unreadable']),
    drawTable(rows, ['rail', 'providerRef', 'amount', 'ours', 'occurredAt', 'orderId', 'paymentId', 'what', 'why']),
  ].join('\n\n');
  if (accounts.some(({ result }) => result === 'unknown'))
    throw new CommandError(`A rail did not answer. Run the command again.\n${text}`, { isTemporary: true });
  return { text, json: { since, isDryRun: isDry, accounts, findings } };
}

/** @throws UsageError */
function requireRecent(since: Date, now: Date): void {
  const agoMs = now.getTime() - since.getTime();
  if (agoMs < 0) throw new UsageError('--since must not lie ahead.');
  if (agoMs > MAX_DAYS * DAY_MS) throw new UsageError(`--since must be within the last ${MAX_DAYS} days.`);
}

/** Keeps money without a payment for a person, and removes money that has found its payment. */
async function keepForPeople(core: Core, railId: string, { findings, unreadable }: SinceComparison): Promise<void> {
  await keepUnreadable(core, railId, unreadable);
  for (const { what, entry, why } of findings) {
    if (!entry) continue;
    if (what === 'missing_here') await keepUnmatched(core, railId, { ...entry, why });
    if (what === 'learned' || what === 'recovered') await settleUnmatched(core, railId, entry);
  }
}
