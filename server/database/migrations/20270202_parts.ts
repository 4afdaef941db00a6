// Events and deliveries in parts, a month each (database/months.ts). What was there becomes the first part as it is: no row is read or
// written, and numbers and cursors go on. Both are held while that is done, for the time of a few statements.
import { Migration } from '@mikro-orm/migrations';

export class Parts extends Migration {
  override up(): void {
    this.addSql(`create schema if not exists "parts";`);
    this.addSql(`lock table "events", "deliveries" in access exclusive mode;`);
    this.addSql(`drop trigger "fan_out" on "events";`);
    for (const [table, columns] of Object.entries(TABLES)) {
      this.addSql(`alter sequence "${table}_seq_seq" owned by none;`);
      this.addSql(`alter table "${table}" set schema "parts";`);
      this.addSql(
        `create table "${table}" ("seq" bigint not null default nextval('${table}_seq_seq'), ${columns}, primary key ("seq")) partition by range ("seq");`,
      );
      this.addSql(`alter sequence "${table}_seq_seq" owned by "${table}"."seq";`);
    }
    for (const index of INDEXES) this.addSql(`create index ${index};`);
    // Their places are taken. `deliveries_transaction` stays: nodes of older releases find callbacks by it.
    this.addSql(`drop index parts."events_position";`);
    this.addSql(`alter table parts."deliveries" drop constraint "deliveries_id";`);
    for (const table of Object.keys(TABLES)) {
      this.addSql(
        `alter table "${table}" attach partition parts."${table}" for values from (minvalue) to (68719476736);`,
      );
      this.addSql(`alter table parts."${table}" drop constraint "${table}_before_months";`);
    }
    this.addSql(
      'create trigger "fan_out" after insert on "events" referencing new table as new_events for each statement execute function fan_out_events();',
    );
  }
}

/** As they were, in the order in which they were. */
const TABLES = {
  events: `"id" uuid not null, "merchant_id" uuid not null, "payment_id" uuid null, "type" text not null, "status" text null, "occurred_at" timestamptz(3) not null, "details" jsonb not null, "position" bigint null, "state" jsonb null`,
  deliveries: `"id" uuid not null, "merchant_id" uuid not null, "endpoint_id" uuid null, "kind" text not null, "type" text not null, "payment_id" uuid null, "transaction_id" uuid null, "event_seq" bigint null, "status" text not null, "attempts" int not null default 0, "tries" int not null default 0, "tries_since" timestamptz(3) null, "first_tried_at" timestamptz(3) null, "leased_until" timestamptz(3) null, "claimed_at" timestamptz(3) null, "due_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "delivered_at" timestamptz(3) null`,
};

const INDEXES = [
  `"events_payment" on "events" ("payment_id", "seq")`,
  `"events_unstamped" on "events" ("merchant_id", "seq") where position is null`,
  `"events_position" on "events" ("merchant_id", "position") where position is not null`,
  `"deliveries_list" on "deliveries" ("merchant_id", "seq")`,
  `"deliveries_payment" on "deliveries" ("payment_id", "seq")`,
  `"deliveries_due" on "deliveries" ("endpoint_id", "due_at", "seq") where due_at is not null`,
  `"deliveries_untried" on "deliveries" ("endpoint_id", "payment_id", "seq") where first_tried_at is null and due_at is not null`,
  `"deliveries_id" on "deliveries" ("id")`,
];
