// Adds the words by which a payment is found, for older payments too.
// Each statement can run again. Triggers write the words of payments that nodes create in between.
import { ConcurrentMigration } from '../concurrent.ts';
import { FILL_PAYMENT_SEARCH, SEARCH_KEYS, WRITE_PAYMENT_SEARCH } from '../functions/payment-words.ts';

/** The tables with words of a payment, and the changes after which the words are written again. */
const TRIGGERS: [table: string, event: string, condition?: string][] = [
  ['payments', 'insert'],
  [
    'payments',
    'update',
    '(new.phone, new.description, new.search_terms, new.reference, new.payer_tax_id) is distinct from ' +
      '(old.phone, old.description, old.search_terms, old.reference, old.payer_tax_id)',
  ],
  ['payment_references', 'update', changeOf('new.reference')],
  ['link_payments', 'insert'],
  ['link_payments', 'update', changeOf('null')],
  ['transactions', 'insert'],
];

function changeOf(first: string): string {
  const of = (row: string) =>
    `(${first.replace('new', row)}, ${row}.customer_name, ${row}.customer_email, ${row}.customer_telephone, ` +
    `${row}.document_number)`;
  return `${of('new')} is distinct from ${of('old')}`;
}

export class PaymentSearch extends ConcurrentMigration {
  override up(): void {
    this.addSql(`create table if not exists payment_search (
      payment_id uuid primary key,
      merchant_id uuid not null,
      created_at timestamptz(3) not null,
      words text not null,
      is_indexed boolean not null default false
    ) with (fillfactor = 80)`);
    this.addSql(SEARCH_KEYS);
    this.addSql(WRITE_PAYMENT_SEARCH);
    for (const [table, event, condition] of TRIGGERS)
      this.addSql(`create or replace trigger search_${event} after ${event} on ${table} for each row
        ${condition ? `when (${condition})` : ''} execute function write_payment_search()`);
    this.addSql(FILL_PAYMENT_SEARCH);
    this.addSql('update payment_search set is_indexed = true where not is_indexed');
    this.addIndex('payment_search_list', 'on "payment_search" ("merchant_id", "created_at", "payment_id")');
    this.addIndex('payment_search_fresh', 'on "payment_search" ("merchant_id", "payment_id") where not is_indexed');
    this.addIndex(
      'payment_search_keys',
      'on "payment_search" using gin (search_keys(merchant_id, words)) ' +
        'with (gin_pending_list_limit = 512) where is_indexed',
    );
  }
}
