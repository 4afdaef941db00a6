// The books of a rail of our own protocol (docs/rail.md): what it took and gave back in one clearing period.
import {
  createAsk,
  parseExact,
  readCode,
  readFields,
  readMoney,
  readText,
  readTime,
  type RailAnswer,
  type RailOptions,
} from './ask.ts';
import type { RailKind } from './connector.ts';
import type { StatementEntry, StatementPage, StatementRail } from './statement.ts';

const PAGE_SIZE = 500;
/** A page at some 300 bytes an entry, with room. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** A client of one rail's books. It keeps nothing. */
export function createStatementRail(kind: RailKind, options: RailOptions): StatementRail {
  const ask = createAsk(options);
  return {
    listsRefunds: true,
    listMovements({ period }, after) {
      const query = new URLSearchParams({
        rail: kind,
        period,
        ...(after !== null && { after }),
        limit: `${PAGE_SIZE}`,
      });
      const read = (answer: RailAnswer) => readStatement(answer, { kind, period });
      const [path, maxBytes] = [`/v1/movements?${query}`, MAX_ANSWER_BYTES];
      return ask({ method: 'GET', path, maxBytes, read, miss: () => NOTHING_LISTED });
    },
  };
}

const NOTHING_LISTED: StatementPage = { result: 'unknown', movements: [], unreadable: [], next: null };

type Asked = { kind: RailKind; period: string };

/** What an answer says of a period. */
export function readStatement(answer: RailAnswer, asked: Asked): StatementPage {
  if (answer.status === 404 && readCode(answer) === 'UNKNOWN_PERIOD') return { ...NOTHING_LISTED, result: 'unlisted' };
  const page = answer.status === 200 ? readFields(parseExact(answer.body)) : {};
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
  if (!kind || 'fault' in money || period !== asked.period) return null;
  // As where references are read (ppr/client.ts): the id of their money is a number.
  const isNumber = asked.kind === 'ppr' && kind === 'payment';
  const providerRef = isNumber ? money.providerRef.replace(/^0+(?=\d)/, '') : money.providerRef;
  const ownId = readText(fields.id);
  return { kind, ...money, providerRef, ownId, railKey: null, occurredAt: readTime(fields.occurredAt), period };
}
