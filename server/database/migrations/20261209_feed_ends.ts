// The ends of feeds that were handed out before every event up to them had its place: nothing is placed behind one any more.
import { Migration } from '@mikro-orm/migrations';

export class FeedEnds extends Migration {
  override up(): void {
    this.addSql(
      `create table "feed_ends" ("merchant_id" uuid not null, "position" bigint not null, primary key ("merchant_id"));`,
    );
  }
}
