// balcao money: what rails told of and nobody could be given, for a person to look at.
import { toDecimal } from '../../shared/money.ts';
import { prepared } from '../database/db.ts';
import type { Core } from '../core.ts';
import type { RailNews } from '../providers/connector.ts';
import type { InboxMessage } from '../rails/entities.ts';
import type { ReferencePayment } from '../providers/provider.ts';
import { unknownId } from '../payments/reference/find.ts';
import type { Desk, Group } from './subcommand.ts';
import { drawTable, readCount, textOf, type Output } from './command.ts';

export const money: Group = {
  unmatched: {
    about:
      'rails’ messages that could not be applied: unreadable, of nobody’s payment, or paid to an unknown reference',
    takes: [],
    options: { limit: { type: 'string', value: 'count', default: '100', about: 'the newest of them' } },
    notes: '--json has each message word for word, as the rail sent it.',
    run: showUnmatched,
  },
};

/** What came of a message, in words. */
const OUTCOMES: Record<string, string> = {
  unmatched: 'no payment of ours is meant',
  unknown_reference: 'paid to a reference that nobody has',
  unreadable: 'it cannot be read',
};

/** Not applied after its tries: something fails each time. */
const FAILED_TRIES = 5;

async function showUnmatched({ core, call }: Desk): Promise<Output> {
  const limit = readCount(textOf(call, 'limit'), '--limit', { least: 1, most: 10_000 });
  const messages = (await findUnmatched.all(core, { limit })) as InboxMessage[];
  const found = await Promise.all(messages.map((message) => viewMessage(core, message)));
  const rows = found.map(({ receivedAt, rail, why, amount, about }) => [receivedAt, rail, why, amount, about]);
  const heads = ['received', 'rail', 'why', 'amount', 'about'];
  return { text: drawTable(heads, rows, 'Every message of the rails was applied.'), json: found };
}

const findUnmatched = prepared((tables, { limit }: { limit: number }) =>
  tables
    .selectFrom('inbox')
    .selectAll()
    // An unproven hint is not money.
    .where('isProven', '=', true)
    .where((eb) => {
      // Of money to an unknown reference there is the message and what was kept of it: the latter is there however it was learned.
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
  const [news] = account?.connector.read(body, { kind: account.kind, trust: 'proven', attemptId }) ?? [];
  const { amountMinor, currency, about } = readSum(news, body);
  const isOwn = !account || account.connector.name === 'balcao';
  const rail = isOwn ? message.rail : account.label;
  const why = outcome ? (OUTCOMES[outcome] ?? outcome) : `applying it failed ${dueCount} times; see the log`;
  const amount = amountMinor !== null && currency !== null ? `${toDecimal(amountMinor, currency)} ${currency}` : null;
  return { id, rail, notificationId, receivedAt, outcome: outcome ?? null, why, amount, about, body };
}

type SumShown = { amountMinor: number | null; currency: string | null; about: string | null };

const NOTHING: SumShown = { amountMinor: null, currency: null, about: null };

/** What a message tells, as far as its account's connector can read it. */
function readSum(news: RailNews | undefined, body: string): SumShown {
  if (news?.about === 'terminal') return { ...NOTHING, about: `terminal ${news.posId}` };
  if (news?.about === 'order' || news?.about === 'scan') {
    const { amountMinor, currency, providerRef } = news.about === 'scan' ? news.scan : news.outcome;
    return { amountMinor, currency, about: `order ${news.attemptId}${providerRef ? `, money ${providerRef}` : ''}` };
  }
  const money = news?.about === 'reference' ? news.payment : readKept(body);
  if (!money) return NOTHING;
  const { entity, reference, providerRef, amountMinor, currency } = money;
  if (!entity) return { amountMinor, currency, about: `${nameListed(body)}money ${providerRef}` };
  return { amountMinor, currency, about: `entity ${entity}, reference ${reference}, money ${providerRef}` };
}

/** As a rail's books list it (books/since.ts). */
function nameListed(body: string): string {
  const { ownId, order } = JSON.parse(body) as { ownId?: string | null; order?: { reference?: string } };
  return [ownId ? `order ${ownId}, ` : '', order?.reference ? `reference ${order.reference}, ` : ''].join('');
}

/** As references/receive.ts keeps it, or the rail's books list it. */
function readKept(body: string): ReferencePayment | null {
  try {
    const kept = JSON.parse(body) as Partial<ReferencePayment> | null;
    return kept && typeof kept.amountMinor === 'number' && kept.providerRef ? (kept as ReferencePayment) : null;
  } catch {
    return null;
  }
}
