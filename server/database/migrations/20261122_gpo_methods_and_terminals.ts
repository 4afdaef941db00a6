// Authorizations, captures and QR codes; terminals; answers that are built after a rail was asked.
import { Migration } from '@mikro-orm/migrations';

export class GpoMethodsAndTerminals extends Migration {
  override up(): void {
    this.addSql(
      `alter table "payments" add column "authorization_id" uuid null, add column "authorized_minor" bigint null, add column "captured_minor" bigint null, add column "operation" text null, add column "operation_id" uuid null, add column "qr_content" text null, add column "qr_size" text null, add column "qr_type" text null, add column "max_transactions" int null, add column "accepted_count" int not null default 0, add column "late" boolean not null default false;`,
    );
    this.addSql(
      `create index "payments_authorization" on "payments" ("authorization_id") where authorization_id is not null;`,
    );
    this.addSql(`alter table "attempts" add column "kind" text not null default 'purchase';`);
    this.addSql(`alter table "attempts" alter column "phone" drop not null;`);
    this.addSql(
      `alter table "idempotency_keys" add column "in_flight_until" timestamptz(3) null, add column "payment_id" uuid null;`,
    );
    this.addSql(
      `create table "terminals" ("id" uuid not null, "merchant_id" uuid not null, "pos_id" text not null, "status" text not null, "period" text null, "supervisor_required" boolean not null default false, "operation_id" uuid null, "sent_at" timestamptz(3) null, "changed_at" timestamptz(3) not null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "terminals_due" on "terminals" ("due_at") where due_at is not null;`);
    this.addSql(`alter table "terminals" add constraint "terminals_pos" unique ("merchant_id", "pos_id");`);
  }
}
