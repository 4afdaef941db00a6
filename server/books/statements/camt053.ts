// Reads a statement in ISO 20022 camt.053, versions 02 to 08.
import { dayOf, isDay } from '../../../shared/luanda.ts';
import { addMinor } from '../../../shared/money.ts';
import { readSignedMinor } from '../amount.ts';
import {
  collectLines,
  isCurrency,
  MAX_ROWS,
  tooManyLines,
  wrongFile,
  type Collector,
  type Statement,
} from './statement.ts';
import { attributeOf, readXml } from './xml.ts';

/** An element below a statement, with its parts. */
type Node = { name: string; attributes: string; text: string; children: Node[] };

/** Elements that are read as a whole. */
const WHOLE = new Set(['Acct', 'Ntry']);

/** Reads all accounts of the file. @throws Problem validation_failed */
export function readCamt053(text: string): Statement {
  const collector = collectLines();
  const open: Node[] = [];
  const outer: string[] = [];
  let account: Account = { number: null, currency: '' };
  let line = 0;
  let isStatement = false;
  readXml(text, {
    open(name, attributes) {
      const parent = open.at(-1);
      if (!parent && !WHOLE.has(name)) {
        outer.push(name);
        if (outer.length === 2 && (outer[0] !== 'Document' || name !== 'BkToCstmrStmt')) throw wrongFile('format');
        if (name === 'Stmt') {
          account = { number: null, currency: '' };
          isStatement = true;
        }
        return;
      }
      const node = { name, attributes, text: '', children: [] };
      parent?.children.push(node);
      open.push(node);
    },
    text(part) {
      const node = open.at(-1);
      if (node) node.text += part;
    },
    close() {
      const node = open.pop();
      if (!node) {
        outer.pop();
        return;
      }
      if (open.length > 0 || outer.at(-1) !== 'Stmt') return;
      if (node.name === 'Acct') account = readAccount(node);
      else line = readEntry(node, { account, line, collector });
    },
  });
  return collector.finish('camt053', isStatement);
}

type Account = { number: string | null; currency: string };

function find(node: Node | undefined, ...path: string[]): Node | undefined {
  return path.reduce<Node | undefined>((at, name) => at?.children.find((each) => each.name === name), node);
}

const findAll = (node: Node | undefined, name: string) => node?.children.filter((each) => each.name === name) ?? [];
const textAt = (node: Node | undefined, ...path: string[]) => find(node, ...path)?.text.trim() || undefined;

function readAccount(node: Node): Account {
  const number = textAt(node, 'Id', 'IBAN') ?? textAt(node, 'Id', 'Othr', 'Id');
  return { number: number ?? null, currency: textAt(node, 'Ccy') ?? '' };
}

type Entry = { account: Account; line: number; collector: Collector };

/** The most characters of an entry's own text, because each of its transactions repeats it. */
const MAX_ENTRY_TEXT = 1_000;

/** Reads an entry. An entry of several transactions is several movements if they add up to its amount. */
function readEntry(entry: Node, { account, line: last, collector }: Entry): number {
  const details = findAll(entry, 'NtryDtls').flatMap((each) => findAll(each, 'TxDtls'));
  const status = textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts');
  const date =
    textAt(entry, 'BookgDt', 'Dt')?.slice(0, 10) ??
    readDay(textAt(entry, 'BookgDt', 'DtTm')) ??
    textAt(entry, 'ValDt', 'Dt')?.slice(0, 10) ??
    readDay(textAt(entry, 'ValDt', 'DtTm'));
  // An entry has many parts, so its own parts are found once, and not for each of its transactions.
  const own = readMoney(find(entry, 'Amt'), textAt(entry, 'CdtDbtInd'), account);
  const text = textAt(entry, 'AddtlNtryInf')?.slice(0, MAX_ENTRY_TEXT);
  const ownReference = textAt(entry, 'AcctSvcrRef') ?? textAt(entry, 'NtryRef');
  const parts = details.length > 1 ? readParts(details, own, account) : null;
  let line = last;
  for (const [nth, { currency, decimal }] of (parts ?? [own]).entries()) {
    if (++line > MAX_ROWS) throw tooManyLines();
    const about = parts ? details.slice(nth, nth + 1) : details;
    const description = describe(about, text);
    if (status !== undefined && status !== 'BOOK') {
      collector.skip(line, description, 'not_booked');
    } else if (decimal === null || !isDate(date)) {
      collector.skip(line, description, 'unreadable');
    } else {
      const reference = (parts && referenceOf(about[0])) || ownReference;
      const found = { line, date, decimal, description, reference: reference ?? null };
      collector.add({ number: account.number, currency }, found);
    }
  }
  return line;
}

/** An amount as exact decimal text with its sign. Null: it is unreadable. */
type Money = { currency: string; decimal: string | null };

/** The direction of the money is CdtDbtInd alone. RvslInd says only that it takes an earlier entry back. */
function readMoney(amount: Node | undefined, side: string | undefined, account: Account): Money {
  const decimal = /^\d+(?:\.\d+)?$/.exec(amount?.text.trim() ?? '')?.[0];
  const sign = side === 'CRDT' ? '' : side === 'DBIT' ? '-' : null;
  const currency = (amount && attributeOf(amount.attributes, 'Ccy')) ?? account.currency;
  const isMoney = decimal !== undefined && sign !== null && isCurrency(currency);
  return { currency, decimal: isMoney ? sign + decimal : null };
}

/**
 * Reads the amounts of an entry's transactions. Null if they do not add up to its booked amount.
 * They may be amounts before charges, or in the payer's currency.
 */
function readParts(details: Node[], own: Money, account: Account): Money[] | null {
  const side = own.decimal?.startsWith('-') ? 'DBIT' : 'CRDT';
  const parts = details.map((each) => readMoney(amountOf(each), textAt(each, 'CdtDbtInd') ?? side, account));
  const [whole, ...minors] = [own, ...parts].map(({ currency, decimal }) =>
    decimal === null || currency !== own.currency ? null : readSignedMinor(decimal, currency),
  );
  const isWhole = minors.every((minor) => minor !== null) && addMinor(...minors) === whole;
  return isWhole ? parts : null;
}

/** A date and time with a zone. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The day of a time in Luanda. A time without a zone has its own date. */
function readDay(text: string | undefined): string | undefined {
  const at = new Date(text && MOMENT.test(text) ? text : NaN);
  return Number.isNaN(at.getTime()) ? text?.slice(0, 10) : dayOf(at);
}

const isDate = (text: string | undefined): text is string => text !== undefined && isDay(text);

const amountOf = (detail: Node | undefined) => find(detail, 'Amt') ?? find(detail, 'AmtDtls', 'TxAmt', 'Amt');

/** The text of a movement: its remittance information, the payer and the bank's own text. */
function describe(details: Node[], entryText: string | undefined): string {
  const parts = details.flatMap((detail) => {
    const remittance = find(detail, 'RmtInf');
    return [
      ...findAll(remittance, 'Ustrd').map((each) => each.text.trim()),
      ...findAll(remittance, 'Strd').map((each) => textAt(each, 'CdtrRefInf', 'Ref')),
      textAt(detail, 'RltdPties', 'Dbtr', 'Nm') ?? textAt(detail, 'RltdPties', 'Dbtr', 'Pty', 'Nm'),
      textAt(detail, 'AddtlTxInf'),
    ];
  });
  return [...new Set([...parts, entryText].filter(Boolean))].join(' · ');
}

const referenceOf = (detail: Node | undefined) =>
  textAt(detail, 'Refs', 'AcctSvcrRef') ?? textAt(detail, 'Refs', 'EndToEndId');
