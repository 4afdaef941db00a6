// The whole schema, one file of SQL for each subject in `database/baseline/`.
// Until 0.2.0 is released, a change of the schema edits those files. After that, a change is a migration of its own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Migration } from '@mikro-orm/migrations';
import { listFunctions } from '../functions.ts';

const FOLDER = fileURLToPath(new URL('../baseline', import.meta.url));

const SUBJECTS = 'merchants people payments rails events billing books sms privacy server lists'.split(' ');

export class Baseline extends Migration {
  override up(): void {
    // Triggers name functions, and functions name tables.
    this.addSql('set local check_function_bodies = off');
    for (const { text } of listFunctions()) this.addSql(text);
    for (const subject of SUBJECTS) this.addSql(readFileSync(join(FOLDER, `${subject}.sql`), 'utf8'));
  }
}
