// A feed can pause, a comparison names its rail, and digits that a rail has reserved are kept for the next references.
import { Migration } from '@mikro-orm/migrations';

export class RailsShares extends Migration {
  override up(): void {
    this.addSql(`alter table "rail_feeds" add column "paused_at" timestamptz(3) null;`);
    // Nodes of the release before do not write it. Their rows share one turn.
    this.addSql(`alter table "reconciliations" add column "rail" text not null default '';`);
    this.addSql(`update "reconciliations" r set rail = s.rail from "settlements" s where s.id = r.id;`);
    this.addSql(RESERVED);
  }
}

const RESERVED = `create table "reserved_references" (
  "rail" text not null,
  "environment" text not null,
  "entity" text not null,
  "reference" text not null,
  "reserved_at" timestamptz(3) not null,
  primary key ("rail", "environment", "entity", "reference")
);`;
