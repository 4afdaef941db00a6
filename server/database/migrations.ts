// The migrations of this release, and the ones that a database has run.
import type { Migration } from '@mikro-orm/migrations';
import type { Pool } from 'pg';
import { FirstTables } from './migrations/20261121_first_tables.ts';
import { GpoMethodsAndTerminals } from './migrations/20261122_gpo_methods_and_terminals.ts';
import { PaymentReferences } from './migrations/20261123_payment_references.ts';
import { Callbacks } from './migrations/20261124_callbacks.ts';
import { People } from './migrations/20261125_people.ts';
import { Sms } from './migrations/20261126_sms.ts';
import { ReplacedPayments } from './migrations/20261127_replaced_payments.ts';
import { PublishedFiles } from './migrations/20261128_published_files.ts';
import { FanOut } from './migrations/20261129_fan_out.ts';
import { RailAccounts } from './migrations/20261130_rail_accounts.ts';
import { CheckoutMethods } from './migrations/20261201_checkout_methods.ts';
import { SmsOptOutPages } from './migrations/20261201_sms_opt_out.ts';
import { Refunds } from './migrations/20261203_refunds.ts';
import { Books } from './migrations/20261204_books.ts';
import { RefundUsage } from './migrations/20261205_refund_usage.ts';
import { Reconciliation } from './migrations/20261206_reconciliation.ts';
import { Search } from './migrations/20261207_search.ts';
import { Figures } from './migrations/20261208_figures.ts';
import { OlderNodes } from './migrations/20261208_older_nodes.ts';
import { FeedEnds } from './migrations/20261209_feed_ends.ts';
import { ListCounts } from './migrations/20261210_list_counts.ts';
import { PaymentsFilters } from './migrations/20261211_payments_filters.ts';
import { PaymentsCurrency } from './migrations/20261212_payments_currency.ts';
import { ReferencesFilters } from './migrations/20261213_references_filters.ts';
import { RefundsFilters } from './migrations/20261214_refunds_filters.ts';
import { FiscalDocuments } from './migrations/20261217_fiscal_documents.ts';
import { Links } from './migrations/20261230_links.ts';
import { LinkPayments } from './migrations/20261231_link_payments.ts';
import { LinkCounts } from './migrations/20270101_link_counts.ts';
import { PayerTaxId } from './migrations/20270110_payer_tax_id.ts';
import { MerchantTaxId } from './migrations/20270111_merchant_tax_id.ts';
import { InvoiceReceivers } from './migrations/20270112_invoice_receivers.ts';
import { CreditNoteReceivers } from './migrations/20270113_credit_note_receivers.ts';
import { SmsOptOutNumber } from './migrations/20270114_sms_opt_out_number.ts';
import { SmsOptOuts } from './migrations/20270115_sms_opt_outs.ts';
import { SmsOptOutsList } from './migrations/20270116_sms_opt_outs_list.ts';
import { PayersNotice } from './migrations/20270117_payers_notice.ts';
import { RetentionMarks } from './migrations/20270120_retention_marks.ts';
import { RequestErrors } from './migrations/20270125_request_errors.ts';
import { Erasures } from './migrations/20270126_erasures.ts';
import { PaymentsLate } from './migrations/20270127_payments_late.ts';
import { PartsReady } from './migrations/20270201_parts_ready.ts';
import { Parts } from './migrations/20270202_parts.ts';
import { Archives } from './migrations/20270203_archives.ts';
import { PaymentsRoom } from './migrations/20270204_payments_room.ts';
import { ConsoleFlagged } from './migrations/20270206_console_flagged.ts';
import { LinksOpenedFrom } from './migrations/20270206_links_opened_from.ts';
import { RailsShares } from './migrations/20270206_rails_shares.ts';
import { LinksOpenedFromIndex } from './migrations/20270207_links_opened_from_index.ts';
import { RailsTurns } from './migrations/20270207_rails_turns.ts';
import { PrivacyColumns } from './migrations/20270210_privacy_columns.ts';
import { PrivacyIndexes } from './migrations/20270211_privacy_indexes.ts';

type NamedMigration = { name: string; class: new (...args: ConstructorParameters<typeof Migration>) => Migration };

/** In the order in which they run. A list, so that the built gateway needs no sources. */
export const MIGRATIONS: NamedMigration[] = [
  { name: '20261121_first_tables', class: FirstTables },
  { name: '20261122_gpo_methods_and_terminals', class: GpoMethodsAndTerminals },
  { name: '20261123_payment_references', class: PaymentReferences },
  { name: '20261124_callbacks', class: Callbacks },
  { name: '20261125_people', class: People },
  { name: '20261126_sms', class: Sms },
  { name: '20261127_replaced_payments', class: ReplacedPayments },
  { name: '20261128_published_files', class: PublishedFiles },
  { name: '20261129_fan_out', class: FanOut },
  { name: '20261130_rail_accounts', class: RailAccounts },
  { name: '20261201_checkout_methods', class: CheckoutMethods },
  { name: '20261201_sms_opt_out', class: SmsOptOutPages },
  { name: '20261203_refunds', class: Refunds },
  { name: '20261204_books', class: Books },
  { name: '20261205_refund_usage', class: RefundUsage },
  { name: '20261206_reconciliation', class: Reconciliation },
  { name: '20261207_search', class: Search },
  { name: '20261208_figures', class: Figures },
  { name: '20261208_older_nodes', class: OlderNodes },
  { name: '20261209_feed_ends', class: FeedEnds },
  { name: '20261210_list_counts', class: ListCounts },
  { name: '20261211_payments_filters', class: PaymentsFilters },
  { name: '20261212_payments_currency', class: PaymentsCurrency },
  { name: '20261213_references_filters', class: ReferencesFilters },
  { name: '20261214_refunds_filters', class: RefundsFilters },
  { name: '20261217_fiscal_documents', class: FiscalDocuments },
  { name: '20261230_links', class: Links },
  { name: '20261231_link_payments', class: LinkPayments },
  { name: '20270101_link_counts', class: LinkCounts },
  { name: '20270110_payer_tax_id', class: PayerTaxId },
  { name: '20270111_merchant_tax_id', class: MerchantTaxId },
  { name: '20270112_invoice_receivers', class: InvoiceReceivers },
  { name: '20270113_credit_note_receivers', class: CreditNoteReceivers },
  { name: '20270114_sms_opt_out_number', class: SmsOptOutNumber },
  { name: '20270115_sms_opt_outs', class: SmsOptOuts },
  { name: '20270116_sms_opt_outs_list', class: SmsOptOutsList },
  { name: '20270117_payers_notice', class: PayersNotice },
  { name: '20270120_retention_marks', class: RetentionMarks },
  { name: '20270125_request_errors', class: RequestErrors },
  { name: '20270126_erasures', class: Erasures },
  { name: '20270127_payments_late', class: PaymentsLate },
  { name: '20270201_parts_ready', class: PartsReady },
  { name: '20270202_parts', class: Parts },
  { name: '20270203_archives', class: Archives },
  { name: '20270204_payments_room', class: PaymentsRoom },
  { name: '20270206_console_flagged', class: ConsoleFlagged },
  { name: '20270206_links_opened_from', class: LinksOpenedFrom },
  { name: '20270206_rails_shares', class: RailsShares },
  { name: '20270207_links_opened_from_index', class: LinksOpenedFromIndex },
  { name: '20270207_rails_turns', class: RailsTurns },
  { name: '20270210_privacy_columns', class: PrivacyColumns },
  { name: '20270211_privacy_indexes', class: PrivacyIndexes },
];

/** Names of this release's migrations, in their order. */
export const listMigrations = (): string[] => MIGRATIONS.map(({ name }) => name);

/** Names of those that have run, in their order; none of a database that nobody can ask. */
export async function listRan(pool: Pool): Promise<string[]> {
  const ran = await pool
    .query<{ name: string }>('select name from mikro_orm_migrations order by id')
    .catch(() => ({ rows: [] }));
  return ran.rows.map(({ name }) => name);
}
