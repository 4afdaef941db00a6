// Finds payments by a text, without knowing what the text is: a reference, phone, name, amount, id or description.
//
// The table payment_search has the words of each payment. A search reads them in one of two ways:
// - Dense: at least `DENSE` of the newest payments match. The search reads the list newest first, and compares the
//   words of each payment with the text.
// - Sparse: the index of word parts lists all matches, and only these are read.
// Each way alone would read a whole list for some texts.
import { plainWords } from '../../shared/search.ts';
import { sql, type ExpressionBuilder, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import { readingsOf, readMajor, toMinor } from '../../shared/money.ts';
import { query, type Db, type Tables } from '../database/db.ts';
import { AMOUNT_LETTERS, ID_DIGITS, ID_LENGTH, ID_LETTERS } from '../database/functions/payment-words.ts';
import { digitsOf } from '../database/plain-words.ts';
import type { Cursor } from '../http/cursor.ts';
import type { Span } from '../lists/spans.ts';

/** One meaning of a search text: all `parts` occur in the words. `idStart`: the beginning of the payment's id. */
type Meaning = { parts: string[]; idStart?: string };

export type Search = { meanings: Meaning[] };

const LOCAL_CURRENCY = 'AOA';

/** Shorter beginnings of an id match all payments of a minute or more. */
const ID_START = /^(?=[0-9a-f-]{8,36}$)[0-9a-f]{1,8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$|^[0-9a-f]{9,32}$/;

const encode = (text: string, from: string, to: string): string =>
  [...text].map((digit) => to[from.indexOf(digit)]).join('');

/** A part of a word has three characters. One or two characters match the beginning or the whole of a word. */
const partOf = (word: string): string => (word.length > 2 ? word : word.length === 2 ? ` ${word}` : ` ${word} `);

/** Returns the amounts in minor units that a text can mean. `1500,500` can mean two amounts. */
function amountsOf(text: string): number[] {
  return (readingsOf(text) ?? [text]).flatMap((reading) => {
    const major = readMajor(reading);
    const amount = major === null ? null : toMinor(String(major), LOCAL_CURRENCY);
    return amount && 'minor' in amount ? [amount.minor] : [];
  });
}

/** Reads a search text. Digits may be a reference, a phone number, an amount and an id at the same time. */
export function readSearch(text: string): Search {
  const folded = plainWords(text);
  const digits = digitsOf(folded);
  // The words have a number without its separators, and an Angolan phone number without its country code.
  const numbers = [...new Set([digits, digits.replace(/^244(?=9)/, ''), ...(folded.includes(' ') ? [] : [folded])])];
  const meanings: Meaning[] = digits
    ? numbers.filter(Boolean).map((number) => ({ parts: [partOf(number)] }))
    : [{ parts: folded.split(' ').map(partOf) }];
  for (const minor of amountsOf(text))
    meanings.push({ parts: [` ${encode(String(minor), '0123456789', AMOUNT_LETTERS)} `] });
  if (ID_START.test(folded)) {
    const hex = folded.replaceAll('-', '');
    const part = ` ${encode(hex.slice(0, ID_LENGTH), ID_DIGITS, ID_LETTERS)}`;
    const idStart = hex.length > ID_LENGTH ? { idStart: hex } : {};
    meanings.push({ parts: [part], ...idStart });
  }
  return { meanings };
}

/** SQL condition: the words of `s` match the text. */
function matches({ meanings }: Search): RawBuilder<SqlBool> {
  const each = meanings.map(({ parts, idStart }) => {
    const all = parts.map((part) => sql`strpos(s.words, ${part}) > 0`);
    if (idStart) all.push(sql`starts_with(replace(s.payment_id::text, '-', ''), ${idStart})`);
    return sql`(${sql.join(all, sql` and `)})`;
  });
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/** SQL condition: the index may have the words of `s`. */
function mayMatch(merchantId: string, { meanings }: Search): RawBuilder<SqlBool> {
  const each = meanings.map(({ parts }) => {
    const triples = [...new Set(parts.flatMap((part) => triplesOf(part)))];
    const keys = sql.join(triples.map((triple) => sql`hashtext(${merchantId + triple})`));
    return sql`search_keys(s.merchant_id, s.words) @> array[${keys}]`;
  });
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

const triplesOf = (part: string): string[] => {
  const letters = [...part];
  return letters.slice(2).map((_, nth) => letters.slice(nth, nth + 3).join(''));
};

/** The newest payments whose words a search reads first, to learn whether many payments match. */
const SAMPLE = 4_000;
/** With this number of matches in the sample, a list that is read newest first fills a page soon. */
const DENSE = 80;

export type SearchSpan = Span & { after?: Cursor | undefined };

export type Density = { isDense: boolean; isWhole: boolean; hits: number };

/** Counts the matches among the newest payments. `isWhole`: the merchant has no other payments in this time span. */
export async function measureDensity(db: Db, merchantId: string, search: Search, span: SearchSpan): Promise<Density> {
  const counted = await query((tables: Kysely<Tables>) =>
    tables
      .selectFrom(
        sql<{ words: string; paymentId: string }>`(
          select words, payment_id from payment_search
          where merchant_id = ${merchantId} ${within(span)}
          order by created_at desc, payment_id desc limit ${SAMPLE})`.as('s'),
      )
      .select([
        sql<number>`count(*)::int`.as('rows'),
        sql<number>`(count(*) filter (where ${matches(search)}))::int`.as('hits'),
      ]),
  ).one(db);
  const isWhole = counted.rows < SAMPLE;
  return { hits: counted.hits, isWhole, isDense: isWhole || counted.hits >= DENSE };
}

/** SQL conditions of a time span for the index of payment_search. */
function within({ from, to, after }: SearchSpan): RawBuilder<unknown> {
  return sql`${from ? sql`and created_at >= ${from}` : sql``} ${to ? sql`and created_at < ${to}` : sql``}
    ${after ? sql`and (created_at, payment_id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}`;
}

/** SQL condition of a payment, for a list that is read newest first. */
export const comparesWords = (search: Search) => (eb: ExpressionBuilder<Tables, 'payments'>) =>
  sql<SqlBool>`(select ${matches(search)} from payment_search s where s.payment_id = ${eb.ref('payments.id')})`;

/**
 * Selects the ids and times of all payments that match, by the index of word parts.
 * The conditions in parentheses keep the planner from reading the merchant's whole list.
 */
export function hitsOf(
  merchantId: string,
  search: Search,
  { from, to, after }: SearchSpan,
): RawBuilder<{ paymentId: string; createdAt: Date }> {
  const inSpan = [
    ...(after ? [sql`(s.created_at, s.payment_id) < (${after.at}::timestamptz, ${after.id}::uuid)`] : []),
    sql`(s.merchant_id = ${merchantId}) is true`,
    ...(from ? [sql`(s.created_at >= ${from}) is true`] : []),
    ...(to ? [sql`(s.created_at < ${to}) is true`] : []),
    matches(search),
  ];
  return sql`(
    select s.payment_id, s.created_at from payment_search s
    where s.is_indexed and ${mayMatch(merchantId, search)} and ${sql.join(inSpan, sql` and `)}
    union all
    select s.payment_id, s.created_at from payment_search s
    where s.merchant_id = ${merchantId} and not s.is_indexed and ${sql.join(inSpan, sql` and `)})`;
}
