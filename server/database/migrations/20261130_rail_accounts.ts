// Rail accounts, and by which of them an attempt, a reference or a sending was made; until now every one by the node's own.
import { Migration } from '@mikro-orm/migrations';

export class RailAccounts extends Migration {
  override up(): void {
    this.addSql(
      `create table "rail_accounts" ("id" uuid not null, "merchant_id" uuid null, "kind" text not null, "connector" text not null, "label" text not null, "environment" text not null, "priority" smallint not null, "status" text not null default 'active', "settings" jsonb not null, "secrets" text not null, "secrets_set_at" timestamptz(3) not null, "verified_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "removed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "rail_accounts_merchant" on "rail_accounts" ("merchant_id") where removed_at is null;`);
    this.addSql(`create index "rail_accounts_changed" on "rail_accounts" ("updated_at");`);
    this.addSql(
      `alter table "attempts" add "rail" text not null default 'gpo', add "rail_key" text null, add "rail_order_id" text null;`,
    );
    this.addSql(
      `create unique index "attempts_rail_key" on "attempts" ("rail", "rail_key") where rail_key is not null;`,
    );
    this.addSql(
      `create index "attempts_rail_order" on "attempts" ("rail", "rail_order_id") where rail_order_id is not null;`,
    );
    this.addSql(`alter table "payments" add "qr_deeplink" text null;`);
    this.addSql(`alter table "payment_references" add "rail" text not null default 'ppr';`);
    this.addSql(`alter table "sms_batches" add "rail" text not null default 'sms';`);
    this.addSql(
      `alter table "sms_messages" add "rail_message_id" text null, add "rail_parts" smallint null, add "rail_asked_at" timestamptz(3) null;`,
    );
    this.addSql(
      `create index "sms_messages_rail" on "sms_messages" ("rail_message_id") where rail_message_id is not null;`,
    );
    this.addSql(`alter table "inbox" add "is_proven" boolean not null default true, add "attempt_id" uuid null;`);
  }
}
