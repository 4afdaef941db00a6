// Creates the whole schema from the SQL files in `database/baseline/`, one file for each subject.
// These files do not change, and each later change of the schema is its own migration.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Migration } from '@mikro-orm/migrations';
import { listFunctions } from '../functions.ts';

const FOLDER = fileURLToPath(new URL('../baseline', import.meta.url));

const SUBJECTS = 'merchants people payments rails events billing books sms privacy server lists'.split(' ');

export class Baseline extends Migration {
  override up(): void {
    // The bodies of functions are not checked, because triggers need functions and functions need tables.
    this.addSql('set local check_function_bodies = off');
    for (const { text } of listFunctions()) this.addSql(text);
    for (const subject of SUBJECTS) this.addSql(readFileSync(join(FOLDER, `${subject}.sql`), 'utf8'));
  }
}
