// The statement of our own rail protocol (docs/rail.md): payments and refunds of a clearing period, or since a time.
import {
  createSignedCall,
  parseAnswer,
  readCode,
  readFields,
  readMoney,
  readText,
  readTime,
  type RailAnswer,
  type RailOptions,
} from './rail-call.ts';
import type { RailKind } from './connector.ts';
import type { ListedOrder, StatementRange, StatementEntry, StatementPage, StatementRail } from './statement.ts';

const PAGE_SIZE = 500;
/** Size limit of a statement's page, which needs about 150 KB at 300 bytes an entry. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** Creates a client for the rail's statement. */
export function createStatementRail(kind: RailKind, options: RailOptions): StatementRail {
  const call = createSignedCall(options);
  return {
    listsRefunds: true,
    listMovements(request, after) {
      const query = new URLSearchParams({
        rail: kind,
        ...('since' in request ? { since: request.since.toISOString() } : request),
        ...(after !== null && { after }),
        limit: `${PAGE_SIZE}`,
      });
      const read = (answer: RailAnswer) => readStatement(answer, { kind, ...request });
      const [path, maxBytes] = [`/v1/movements?${query}`, MAX_ANSWER_BYTES];
      return call({ method: 'GET', path, maxBytes, read, onFailure: () => NOTHING_LISTED });
    },
  };
}

const NOTHING_LISTED: StatementPage = { result: 'unknown', movements: [], unreadable: [], next: null };

type StatementRequest = { kind: RailKind } & StatementRange;

/** Reads a page of the statement. A rail without the parameter `since` answers 400, which means `unlisted`. */
export function readStatement(answer: RailAnswer, request: StatementRequest): StatementPage {
  const isUnlisted =
    'since' in request ? answer.status === 400 : answer.status === 404 && readCode(answer) === 'UNKNOWN_PERIOD';
  if (isUnlisted) return { ...NOTHING_LISTED, result: 'unlisted' };
  const page = answer.status === 200 ? readFields(parseAnswer(answer.body)) : {};
  const next = page.next === null ? null : readText(page.next);
  // Without a readable `next`, the page does not show whether more pages follow.
  if (!Array.isArray(page.movements) || (next === null && page.next !== null)) return NOTHING_LISTED;
  const read = page.movements.map((raw: unknown) => ({ raw, entry: readEntry(raw, request) }));
  return {
    result: 'told',
    movements: read.flatMap(({ entry }) => entry ?? []),
    unreadable: read.flatMap(({ raw, entry }) => (entry ? [] : JSON.stringify(raw))),
    next,
  };
}

const KINDS: ReadonlyMap<unknown, StatementEntry['kind']> = new Map([
  ['PAYMENT', 'payment'],
  ['REFUND', 'refund'],
]);

/** Reads one entry of a statement. Null if its money is unreadable, or if it belongs to another period. */
function readEntry(raw: unknown, request: StatementRequest): StatementEntry | null {
  const fields = readFields(raw);
  const [kind, money, period] = [KINDS.get(fields.type), readMoney(fields), readText(fields.period)];
  if (!kind || 'fault' in money || ('period' in request && period !== request.period)) return null;
  // The PPR rail's transaction id is a number, so leading zeros are removed, as in ppr/client.ts.
  const isNumber = request.kind === 'ppr' && kind === 'payment';
  const providerRef = isNumber ? money.providerRef.replace(/^0+(?=\d)/, '') : money.providerRef;
  const ownId = readText(fields.id);
  const order = kind === 'payment' ? readOrder(fields.order) : null;
  const about = { occurredAt: readTime(fields.occurredAt), period, ...(order && { order }) };
  return { kind, ...money, providerRef, ownId, railKey: null, ...about };
}

/** Reads the order of a listed purchase. Null if the entry has no order. */
function readOrder(raw: unknown): ListedOrder | null {
  const fields = readFields(raw);
  // `readMoney` needs a transaction id, which a listed order does not have.
  const money = readMoney({ ...fields, transactionId: '0' });
  const reference = readText(fields.reference);
  if (fields.kind !== 'PURCHASE' || reference === null || 'fault' in money) return null;
  const metadata = readFields(fields.ours);
  const [paymentId, merchantId] = [readText(metadata.paymentId), readText(metadata.merchantId)];
  const ownReference = readText(metadata.reference);
  return {
    gpoMerchantId: readText(fields.merchantId),
    gpoPosId: readText(fields.terminalId),
    reference,
    phone: readText(fields.phone),
    amountMinor: money.amountMinor,
    currency: money.currency,
    ours: paymentId && merchantId && ownReference ? { paymentId, merchantId, reference: ownReference } : null,
  };
}
