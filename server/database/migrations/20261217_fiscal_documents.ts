// Invoices are corrected by credit notes, and certified by documents of another program, which is asked for them.
import { Migration } from '@mikro-orm/migrations';

export class FiscalDocuments extends Migration {
  override up(): void {
    this.addSql(
      `create table "credit_notes" ("id" uuid not null, "year" int not null, "serial" int not null, "merchant_id" uuid not null, "invoice_id" uuid not null, "reason" text not null, "issuer_name" text not null, "issuer_tax_id" text not null, "merchant_name" text not null, "currency" text not null, "subtotal_minor" bigint not null, "tax_bps" int not null, "tax_minor" bigint not null, "total_minor" bigint not null, "issued_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "credit_notes" add constraint "credit_notes_serial" unique ("year", "serial");`);
    this.addSql(`alter table "credit_notes" add constraint "credit_notes_reason" unique ("invoice_id", "reason");`);
    this.addSql(
      `alter table "credit_notes" add constraint "credit_notes_amounts" check (subtotal_minor > 0 and tax_minor >= 0);`,
    );
    this.addSql(
      `create table "fiscal_documents" ("id" uuid not null, "series" text not null, "number" text not null, "url" text null, "hash" text not null, "issued_at" timestamptz(3) not null, "file" bytea not null, "file_hash" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "fiscal_documents" add constraint "fiscal_documents_number" unique ("series", "number");`);
    this.addSql(
      `create table "certification_requests" ("id" uuid not null, "asked_at" timestamptz(3) not null, "tries" int not null default 0, "fault" text null, "told_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(
      `create index "certification_requests_due" on "certification_requests" ("due_at") where due_at is not null;`,
    );
    for (const table of ['credit_notes', 'fiscal_documents'])
      this.addSql(
        `create trigger "${table}_append_only" before update or delete or truncate on "${table}" for each statement execute function refuse_change();`,
      );
  }
}
