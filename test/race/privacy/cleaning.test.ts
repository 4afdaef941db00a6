import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { cleanDaily } from '../../../server/jobs/daily.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { countWaiting } from '../../support/locks.ts';
import { DAY_MS } from '../../../shared/durations.ts';

/** A node deletes expired rows at its start, so the test lets the rows expire afterwards. */
const CLEANED_AT = '2026-03-05T09:00:00.000Z';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});

/** Inserts a person whose invitation and link expired one day ago. */
async function addLapsed(merchantId: string): Promise<string> {
  const userId = randomUUID();
  const [now, past] = [app.clock.now(), new Date(Date.parse(CLEANED_AT) - DAY_MS)];
  await app.sql('insert into users (id, email, created_at, updated_at) values ($1, $2, $3, $3)', [
    userId,
    `${userId}@loja.example`,
    now,
  ]);
  await app.sql(
    `insert into memberships (merchant_id, user_id, role, created_at, expires_at) values ($1, $2, 'Viewer', $3, $3)`,
    [merchantId, userId, past],
  );
  await app.sql(`insert into mail_tokens (user_id, purpose, hash, expires_at) values ($1, 'invite', $2, $3)`, [
    userId,
    randomUUID(),
    past,
  ]);
  return userId;
}

test.each(['memberships', 'mail_tokens'])(
  'the deletion of expired rows of %s keeps a row that is renewed at the same moment',
  async (table) => {
    const { merchantId } = await openCallbackFixture(app);
    const [renewed, gone] = [await addLapsed(merchantId), await addLapsed(merchantId)];
    const renewing = new pg.Client({ connectionString: app.databaseUrl });
    await renewing.connect();
    await renewing.query('begin');
    await renewing.query(`update ${table} set expires_at = $1 where user_id = $2`, [
      new Date(Date.parse(CLEANED_AT) + DAY_MS),
      renewed,
    ]);
    const ended = new AbortController();
    const cleaning = cleanDaily({ ...app.node.core, clock: testClock(CLEANED_AT), stopping: ended.signal });
    const isWaiting = async () => (await countWaiting(app.databaseUrl, `delete from ${table}`)) > 0;
    await until(isWaiting, 'the cleaning waiting for it').finally(async () => {
      await renewing.query('commit');
      await renewing.end();
    });
    const left = () => app.sql(`select user_id from ${table} where user_id = any($1)`, [[renewed, gone]]);
    await until(async () => (await left()).every(({ user_id: id }) => id !== gone), 'the lapsed one being deleted');
    ended.abort();
    await cleaning;
    expect(await left()).toEqual([{ user_id: renewed }]);
  },
);
