// SMS: senders, contacts, lists, templates, opt-outs, what was sent and what is scheduled.
import { Migration } from '@mikro-orm/migrations';

export class Sms extends Migration {
  override up(): void {
    this.addSql(
      `create table "sms_batches" ("id" uuid not null, "merchant_id" uuid not null, "sender" text not null, "content" text not null, "recipients" int not null, "units" int not null, "status" text not null, "run_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "released_at" timestamptz(3) null, "canceled_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(`create index "sms_batches_due" on "sms_batches" ("due_at") where due_at is not null;`);
    this.addSql(
      `create index "sms_batches_scheduled" on "sms_batches" ("merchant_id", "created_at", "id") where run_at is not null;`,
    );
    this.addSql(
      `create table "sms_contacts" ("id" uuid not null, "merchant_id" uuid not null, "name" text not null, "phone" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "sms_contacts_list" on "sms_contacts" ("merchant_id", "created_at", "id");`);
    this.addSql(`create index "sms_contacts_phone" on "sms_contacts" ("merchant_id", "phone");`);
    this.addSql(
      `create table "sms_lists" ("id" uuid not null, "merchant_id" uuid not null, "name" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "sms_lists_list" on "sms_lists" ("merchant_id", "created_at", "id");`);
    this.addSql(
      `create table "sms_list_contacts" ("list_id" uuid not null, "contact_id" uuid not null, "added_at" timestamptz(3) not null, primary key ("list_id", "contact_id"));`,
    );
    this.addSql(`create index "sms_list_contacts_contact" on "sms_list_contacts" ("contact_id");`);
    this.addSql(
      `create table "sms_messages" ("id" uuid not null, "merchant_id" uuid not null, "batch_id" uuid not null, "phone" text not null, "content" text null, "parts" smallint not null, "status" text not null, "failure" text null, "listed_at" timestamptz(3) null, "sent_at" timestamptz(3) null, "delivered_at" timestamptz(3) null, "due_at" timestamptz(3) null, "due_count" int not null default 0, primary key ("id"));`,
    );
    this.addSql(
      `create index "sms_messages_history" on "sms_messages" ("merchant_id", "listed_at", "id") where listed_at is not null;`,
    );
    this.addSql(`create index "sms_messages_batch" on "sms_messages" ("batch_id");`);
    this.addSql(`create index "sms_messages_phone" on "sms_messages" ("phone");`);
    this.addSql(
      `create index "sms_messages_due" on "sms_messages" ("due_at") where status = 'Pending' and due_at is not null;`,
    );
    this.addSql(
      `create index "sms_messages_turn" on "sms_messages" ("merchant_id", "due_at") where status = 'Pending' and due_at is not null;`,
    );
    this.addSql(
      `create index "sms_messages_follow" on "sms_messages" ("due_at") where status = 'Sent' and due_at is not null;`,
    );
    this.addSql(
      `create table "sms_opt_outs" ("merchant_id" uuid not null, "phone" text not null, "created_at" timestamptz(3) not null, primary key ("merchant_id", "phone"));`,
    );
    this.addSql(
      `create table "sms_templates" ("id" uuid not null, "merchant_id" uuid not null, "name" text not null, "content" text not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "sms_templates_list" on "sms_templates" ("merchant_id", "created_at", "id");`);
    this.addSql(`alter table "sms_accounts" add "sender" text null;`);
    this.addSql(`alter table "sms_ledger" add "batch_id" uuid null;`);
  }
}
