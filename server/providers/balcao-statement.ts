// The books of a rail of our own protocol (docs/rail.md): what it took and gave back in one clearing period, or since a moment.
import {
  createAsk,
  parseAnswer,
  readCode,
  readFields,
  readMoney,
  readText,
  readTime,
  type RailAnswer,
  type RailOptions,
} from './ask.ts';
import type { RailKind } from './connector.ts';
import type { ListedOrder, StatementAsked, StatementEntry, StatementPage, StatementRail } from './statement.ts';

const PAGE_SIZE = 500;
/** A page at some 300 bytes an entry, with room. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A client of one rail's books. It keeps nothing. */
export function createStatementRail(kind: RailKind, options: RailOptions): StatementRail {
  const ask = createAsk(options);
  return {
    listsRefunds: true,
    listMovements(asked, after) {
      const query = new URLSearchParams({
        rail: kind,
        ...('since' in asked ? { since: asked.since.toISOString() } : asked),
        ...(after !== null && { after }),
        limit: `${PAGE_SIZE}`,
      });
      const read = (answer: RailAnswer) => readStatement(answer, { kind, ...asked });
      const [path, maxBytes] = [`/v1/movements?${query}`, MAX_ANSWER_BYTES];
      return ask({ method: 'GET', path, maxBytes, read, miss: () => NOTHING_LISTED });
    },
  };
}

const NOTHING_LISTED: StatementPage = { result: 'unknown', movements: [], unreadable: [], next: null };

type Asked = { kind: RailKind } & StatementAsked;

/** What an answer says. A rail that has no word for a moment knows no such request. */
export function readStatement(answer: RailAnswer, asked: Asked): StatementPage {
  const isUnlisted =
    'since' in asked ? answer.status === 400 : answer.status === 404 && readCode(answer) === 'UNKNOWN_PERIOD';
  if (isUnlisted) return { ...NOTHING_LISTED, result: 'unlisted' };
  const page = answer.status === 200 ? readFields(parseAnswer(answer.body)) : {};
  const next = page.next === null ? null : readText(page.next);
  // Without a word of what follows nobody knows whether that was all.
  if (!Array.isArray(page.movements) || (next === null && page.next !== null)) return NOTHING_LISTED;
  const read = page.movements.map((said: unknown) => ({ said, entry: readEntry(said, asked) }));
  return {
    result: 'told',
    movements: read.flatMap(({ entry }) => entry ?? []),
    unreadable: read.flatMap(({ said, entry }) => (entry ? [] : JSON.stringify(said))),
    next,
  };
}

const KINDS: ReadonlyMap<unknown, StatementEntry['kind']> = new Map([
  ['PAYMENT', 'payment'],
  ['REFUND', 'refund'],
]);

/** Null where its money cannot be read, or it is of another period: then the rail answered something else. */
function readEntry(said: unknown, asked: Asked): StatementEntry | null {
  const fields = readFields(said);
  const [kind, money, period] = [KINDS.get(fields.type), readMoney(fields), readText(fields.period)];
  if (!kind || 'fault' in money || ('period' in asked && period !== asked.period)) return null;
  // As where references are read (ppr/client.ts): the id of their money is a number.
  const isNumber = asked.kind === 'ppr' && kind === 'payment';
  const providerRef = isNumber ? money.providerRef.replace(/^0+(?=\d)/, '') : money.providerRef;
  const ownId = readText(fields.id);
  const order = kind === 'payment' ? readOrder(fields.order) : null;
  const about = { occurredAt: readTime(fields.occurredAt), period, ...(order && { order }) };
  return { kind, ...money, providerRef, ownId, railKey: null, ...about };
}

/** What is told of the order; null where it is not told, or no purchase's. */
function readOrder(said: unknown): ListedOrder | null {
  const fields = readFields(said);
  // As where money is read: its id is of no interest here.
  const money = readMoney({ ...fields, transactionId: '0' });
  const reference = readText(fields.reference);
  if (fields.kind !== 'PURCHASE' || reference === null || 'fault' in money) return null;
  const kept = readFields(fields.ours);
  const [paymentId, merchantId] = [readText(kept.paymentId), readText(kept.merchantId)];
  const own = readText(kept.reference);
  return {
    gpoMerchantId: readText(fields.merchantId),
    gpoPosId: readText(fields.terminalId),
    reference,
    phone: readText(fields.phone),
    amountMinor: money.amountMinor,
    currency: money.currency,
    ours: paymentId && merchantId && own ? { paymentId, merchantId, reference: own } : null,
  };
}
