// The words by which people find a payment, in the table payment_search. payments/search.ts reads them.
//
// Triggers write the words in the transaction of the change, so that a search finds a new payment at once, and an
// erasure removes them. The job of payments/search-index.ts adds them to the index of word parts later, because that
// index is slow to write.
import { plainWordsSql } from '../plain-words.ts';

/** The most characters of a description that a search reads. */
const DESCRIPTION = 300;

/** Digits of amounts and ids as capital letters. All other words are in lower case, so parts of them never match. */
export const AMOUNT_LETTERS = 'QRSTUVWXYZ';
export const ID_LETTERS = 'ABCDEFGHIJKLMNOP';
export const ID_DIGITS = '0123456789abcdef';
/** The digits of an id among the words. The first 12 digits are a time. */
export const ID_LENGTH = 12;

/** A phone number by its digits. Angola's code is left out, because people leave it out. */
const phoneOf = (column: string) => `regexp_replace(${column}, '^\\+?(244(?=9))?', '')`;

const moneyOf = (t: string) => `concat_ws(' ', ${t}.provider_ref, ${t}.details ->> 'transactionNumber',
  ${t}.details ->> 'terminalId')`;

/**
 * The words of a payment. Amounts in other currencies than kwanzas are left out.
 * @param p the payment's row @param others SQL expressions of words in other tables
 */
const wordsOf = (p: string, others = '') => `concat(
    ' ', ${plainWordsSql(`concat_ws(' ', ${p}.reference, ${phoneOf(`${p}.phone`)}, ${p}.payer_tax_id,
      left(${p}.description, ${DESCRIPTION}),
      (select string_agg(substr(term, strpos(term, '=') + 1), ' ') from unnest(${p}.search_terms) term)${others})`)},
    ' ', translate(left(replace(${p}.id::text, '-', ''), ${ID_LENGTH}), '${ID_DIGITS}', '${ID_LETTERS}'),
    ' ', case when ${p}.currency = 'AOA'
      then translate(${p}.amount_minor::text, '0123456789', '${AMOUNT_LETTERS}') end, ' ')`;

const OTHERS = `,
      r.customer_name, r.customer_email, ${phoneOf('r.customer_telephone')}, r.document_number,
      c.customer_name, c.customer_email, ${phoneOf('c.customer_telephone')}, c.document_number,
      (select left(l.title, ${DESCRIPTION}) from links l where l.id = p.link_id),
      (select string_agg(${moneyOf('t')}, ' ')
        from (select * from transactions where payment_id = p.id order by created_at desc limit 20) t)`;

/** Selects the rows of payment_search for payments, with the words in other tables. */
const selectRows = (condition: string, payments = 'payments') => `
  select p.id, p.merchant_id, p.created_at, ${wordsOf('p', OTHERS)}
  from ${payments} p
  left join payment_references r on r.payment_id = p.id and p.payment_type = 'PPR'
  left join link_payments c on c.payment_id = p.id and p.link_id is not null
  where ${condition}`;

const INTO = 'insert into payment_search as s (payment_id, merchant_id, created_at, words)';

/** Writes the words of all payments without a row here, for a migration. */
export const FILL_PAYMENT_SEARCH = `${INTO} ${selectRows(
  'not exists (select from payment_search known where known.payment_id = p.id)',
)} on conflict do nothing`;

/** Longer words are written again for each new transaction, so that they do not grow with the scans of a QR code. */
const MOST_WORDS = 4_000;

const KEEP_NEWEST = `on conflict (payment_id) do update set words = excluded.words, is_indexed = false
  where s.words is distinct from excluded.words`;

/**
 * A trigger for each statement that inserts payments. A trigger for each row would take twice as long.
 * The usual payment reads no other table. A trigger of another table may have written its words already.
 */
export const WRITE_NEW_PAYMENT_SEARCH = `create or replace function write_new_payment_search() returns trigger
language plpgsql as $$
begin
  ${INTO} select p.id, p.merchant_id, p.created_at, ${wordsOf('p')}
  from new_payments p where p.payment_type <> 'PPR' and p.link_id is null
  on conflict do nothing;
  if exists (select from new_payments where payment_type = 'PPR' or link_id is not null) then
    ${INTO} ${selectRows("(p.payment_type = 'PPR' or p.link_id is not null)", 'new_payments')}
    ${KEEP_NEWEST};
  end if;
  return null;
end $$;
`;

/** A trigger for each row of a table with words of payments. New money of the usual payment reads no other table. */
export const WRITE_PAYMENT_SEARCH = `create or replace function write_payment_search() returns trigger
language plpgsql as $$
declare
  changed_id uuid;
begin
  if tg_table_name = 'payments' then
    changed_id := new.id;
  else
    if tg_table_name = 'transactions' then
      update payment_search set words = concat(words, ${plainWordsSql(moneyOf('new'))}, ' '), is_indexed = false
        where payment_id = new.payment_id and length(words) < ${MOST_WORDS};
      if found then return null; end if;
    end if;
    changed_id := new.payment_id;
  end if;
  ${INTO} ${selectRows('p.id = changed_id')}
  ${KEEP_NEWEST};
  return null;
end $$;
`;

/**
 * The keys of the index: a hash of each three characters in a row, with the merchant. The index needs the same function
 * for ever. It is not parallel safe, because the start of parallel workers takes longer than most searches.
 */
export const SEARCH_KEYS = `create or replace function search_keys(merchant uuid, words text) returns int[]
language sql immutable as $$
  select array(select distinct hashtext(merchant::text || substr(words, nth, 3))
    from generate_series(1, length(words) - 2) nth)
$$`;
