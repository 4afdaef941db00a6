// balcao money: rail notifications that match no payment, for manual review.
import type { Command } from 'commander';
import { toDecimal } from '../../shared/money.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { unknownId } from '../payments/reference/find.ts';
import type { NotificationItem } from '../providers/connector.ts';
import type { ReferencePayment } from '../providers/provider.ts';
import type { InboxMessage } from '../rails/entities.ts';
import { operate, type CommandContext } from './operate.ts';
import { readCount, type Output, type Shell } from './shell.ts';

export const commands = { money: defineMoney };

function defineMoney(money: Command, shell: Shell): void {
  money
    .command('unmatched')
    .description('list rail notifications that are unreadable, match no payment, or name an unknown reference')
    .option('--limit <count>', 'only the newest', readCount(1, 10_000), 100)
    .addHelpText('after', '\n--json prints each notification unchanged.')
    .action(operate(shell, showUnmatched));
}

/** The number of tries after which an unapplied notification counts as failed. */
const FAILED_TRIES = 5;

async function showUnmatched({ core }: CommandContext, { limit }: { limit: number }): Promise<Output> {
  const messages = (await findUnmatched.all(core, { limit })) as InboxMessage[];
  const found = await Promise.all(messages.map((message) => viewMessage(core, message)));
  return { json: found, columns: ['receivedAt', 'rail', 'why', 'amount', 'about'] };
}

const findUnmatched = prepared((tables, { limit }: { limit: number }) =>
  tables
    .selectFrom('inbox')
    .selectAll()
    // Only a proven notification is evidence of money.
    .where('isProven', '=', true)
    .where((eb) => {
      // Money to an unknown reference always has a record, and may have a notification. The list shows only the record.
      const isKept = eb.fn<boolean>('starts_with', ['notificationId', eb.val(unknownId(''))]);
      return eb.or([
        eb.and([eb('outcome', '<>', 'applied'), eb.or([eb('outcome', '<>', 'unknown_reference'), isKept])]),
        eb.and([eb('appliedAt', 'is', null), eb('dueCount', '>', FAILED_TRIES)]),
      ]);
    })
    .orderBy('receivedAt', 'desc')
    .orderBy('id')
    .limit(limit),
);

async function viewMessage(core: Core, message: InboxMessage) {
  const { id, notificationId, receivedAt, outcome, body, dueCount, attemptId = null } = message;
  const account = await core.rails.find(message.rail);
  const [notification] = account?.connector.read(body, { kind: account.kind, trust: 'proven', attemptId }) ?? [];
  const { amountMinor, currency, about } = readSum(notification, body);
  const isOwn = !account || account.connector.name === 'balcao';
  const rail = isOwn ? message.rail : account.label;
  const why = outcome ?? `failed ${dueCount} times`;
  const amount = amountMinor !== null && currency !== null ? `${toDecimal(amountMinor, currency)} ${currency}` : null;
  return { id, rail, notificationId, receivedAt, outcome: outcome ?? null, why, amount, about, body };
}

type SumShown = { amountMinor: number | null; currency: string | null; about: string | null };

const NOTHING: SumShown = { amountMinor: null, currency: null, about: null };

/** Reads the amount in a notification, if the connector of its rail account can parse it. */
function readSum(notification: NotificationItem | undefined, body: string): SumShown {
  if (notification?.about === 'terminal') return { ...NOTHING, about: `terminal ${notification.posId}` };
  if (notification?.about === 'order' || notification?.about === 'scan') {
    const { amountMinor, currency, providerRef } =
      notification.about === 'scan' ? notification.scan : notification.outcome;
    return {
      amountMinor,
      currency,
      about: `order ${notification.attemptId}${providerRef ? `, money ${providerRef}` : ''}`,
    };
  }
  const money = notification?.about === 'reference' ? notification.payment : readRecord(body);
  if (!money) return NOTHING;
  const { entity, reference, providerRef, amountMinor, currency } = money;
  if (!entity) return { amountMinor, currency, about: `${describeListed(body)}money ${providerRef}` };
  return { amountMinor, currency, about: `entity ${entity}, reference ${reference}, money ${providerRef}` };
}

/** Describes an entry of a rail's statement by its names (books/compare-since.ts). */
function describeListed(body: string): string {
  const { ownId, order } = JSON.parse(body) as { ownId?: string | null; order?: { reference?: string } };
  return [ownId ? `order ${ownId}, ` : '', order?.reference ? `reference ${order.reference}, ` : ''].join('');
}

/** Reads the stored record of a payment to an unknown reference, or an entry of a rail's statement. */
function readRecord(body: string): ReferencePayment | null {
  try {
    const kept = JSON.parse(body) as Partial<ReferencePayment> | null;
    return kept && typeof kept.amountMinor === 'number' && kept.providerRef ? (kept as ReferencePayment) : null;
  } catch {
    return null;
  }
}
