// The files of every build, so that addresses which never change stay.
import { Migration } from '@mikro-orm/migrations';

export class PublishedFiles extends Migration {
  override up(): void {
    this.addSql(
      `create table "published_files" ("path" text not null, "bytes" bytea not null, "seen_at" timestamptz(3) not null, primary key ("path"));`,
    );
  }
}
