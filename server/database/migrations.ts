// The migrations of this release, and the query for those that a database has run.
import type { Migration } from '@mikro-orm/migrations';
import type { Pool } from 'pg';
import { Baseline } from './migrations/20261127_baseline.ts';
import { AuditActor } from './migrations/20261128_audit_actor.ts';
import { CreditNoteAddress } from './migrations/20261128_credit_note_address.ts';
import { NoticeMail } from './migrations/20261128_notice_mail.ts';
import { NoticeMailIndex } from './migrations/20261128_notice_mail_index.ts';
import { PaymentCreator } from './migrations/20261128_payment_creator.ts';
import { PaymentFilters } from './migrations/20261128_payment_filters.ts';
import { PaymentResolved } from './migrations/20261128_payment_resolved.ts';
import { PaymentSearch } from './migrations/20261128_payment_search.ts';
import { ProfileNotices } from './migrations/20261128_profile_notices.ts';
import { RefundDate } from './migrations/20261128_refund_date.ts';
import { StatementPayment } from './migrations/20261128_statement_payment.ts';
import { Articles } from './migrations/20261129_articles.ts';
import { DayClose } from './migrations/20261129_day_close.ts';
import { DayCloseIndex } from './migrations/20261129_day_close_index.ts';
import { MailMerchant } from './migrations/20261129_mail_merchant.ts';
import { MailMerchantIndex } from './migrations/20261129_mail_merchant_index.ts';
import { SentReceipts } from './migrations/20261129_sent_receipts.ts';
import { Shifts } from './migrations/20261129_shifts.ts';
import { ShiftsIndexes } from './migrations/20261129_shifts_indexes.ts';
import { NewPaymentSearch } from './migrations/20261130_new_payment_search.ts';

export type NamedMigration = {
  name: string;
  class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
};

/** The name of the first migration, in every release. */
export const BASELINE = '20261127_baseline';

/** The migrations of this release in the order in which they run. */
export const MIGRATIONS: readonly NamedMigration[] = [
  { name: BASELINE, class: Baseline },
  { name: '20261128_audit_actor', class: AuditActor },
  { name: '20261128_credit_note_address', class: CreditNoteAddress },
  { name: '20261128_notice_mail', class: NoticeMail },
  { name: '20261128_notice_mail_index', class: NoticeMailIndex },
  { name: '20261128_payment_creator', class: PaymentCreator },
  { name: '20261128_payment_filters', class: PaymentFilters },
  { name: '20261128_payment_resolved', class: PaymentResolved },
  { name: '20261128_payment_search', class: PaymentSearch },
  { name: '20261128_profile_notices', class: ProfileNotices },
  { name: '20261128_refund_date', class: RefundDate },
  { name: '20261128_statement_payment', class: StatementPayment },
  { name: '20261129_articles', class: Articles },
  { name: '20261129_day_close', class: DayClose },
  { name: '20261129_day_close_index', class: DayCloseIndex },
  { name: '20261129_mail_merchant', class: MailMerchant },
  { name: '20261129_mail_merchant_index', class: MailMerchantIndex },
  { name: '20261129_sent_receipts', class: SentReceipts },
  { name: '20261129_shifts', class: Shifts },
  { name: '20261129_shifts_indexes', class: ShiftsIndexes },
  { name: '20261130_new_payment_search', class: NewPaymentSearch },
];

/** Lists the names of this release's migrations, in their order. */
export const listMigrations = (): string[] => MIGRATIONS.map(({ name }) => name);

/** Lists the migrations that a database has run. Empty without the table or without a response. */
export async function listRan(pool: Pick<Pool, 'query'>): Promise<string[]> {
  const ran = await pool
    .query<{ name: string }>('select name from mikro_orm_migrations order by id')
    .catch(() => ({ rows: [] }));
  return ran.rows.map(({ name }) => name);
}
