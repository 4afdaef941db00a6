import { afterAll, beforeAll, expect, test } from 'vitest';
import { PassThrough } from 'node:stream';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { enterConsole, formTokenIn, type Visit } from '../../support/console.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { addMember } from '../../support/members.ts';
import { startOwnPostgres, type OwnPostgres } from '../../support/own-postgres.ts';

const COUNTER = '/console/charge';
const ACCOUNT = '/console/account';

let postgres: OwnPostgres;
let app: TestApp;
let owner: Visit;
let written = '';
beforeAll(async () => {
  postgres = await startOwnPostgres();
  const logTo = new PassThrough();
  logTo.on('data', (chunk: Buffer) => (written += chunk));
  app = await startTestApp({ databaseUrl: postgres.url, logTo });
  owner = await enterConsole(app, await addMember(app, { merchantId: DEMO.merchantId }));
});
afterAll(async () => {
  await app?.stop();
  await postgres?.remove();
});

const countOf = async (table: string) => (await app.sql(`select count(*)::int as n from ${table}`))[0].n as number;

async function drawCharge(): Promise<Record<string, string>> {
  const token = formTokenIn(await owner.open(COUNTER));
  return { act: 'charge', token, key: crypto.randomUUID(), amount: '1500,5', way: 'reference', about: 'Um "pano"' };
}

/** Expects that the page shows the id of its request and that the log has the same id. */
function expectUnknown({ status, headers, text }: Reply, wanted: number, words: string): void {
  const id = headers.get('x-request-id')!;
  expect([status, headers.get('content-type')]).toEqual([wanted, 'text/html; charset=utf-8']);
  const [, said = ''] = text.split('</style>');
  expect(said).toContain(words);
  expect(said).toContain(id);
  expect(said).not.toMatch(/Nada mudou|Nothing changed|Rien n’a changé|Não foi possível\.|Not done|Impossible\./);
  expect(said).not.toMatch(/constraint|violates|ECONN|terminat|insert into/i);
}

async function whileRefused(table: string, check: string, work: () => Promise<void>): Promise<void> {
  await app.sql(`alter table ${table} add constraint refused check (${check}) not valid`);
  await work().finally(() => app.sql(`alter table ${table} drop constraint refused`));
}

const withoutCharges = (work: () => Promise<void>) => whileRefused('payments', `description not like 'Um %'`, work);

test.each([
  ['pt', 'Não se sabe se foi feito'],
  ['en', 'It is not known whether it was done'],
  ['fr', 'On ne sait pas si c’est fait'],
])(
  'a form shows a database error in %s, keeps the typed values, and has one effect when it is sent again',
  async (lang, words) => {
    const before = await countOf('payments');
    const form = await drawCharge();
    await withoutCharges(async () => {
      const reply = await owner.post(`${COUNTER}?lang=${lang}`, form);
      expectUnknown(reply, 500, words);
      expect(reply.text).toContain(`<title>${words}`);
      expect(reply.text).toMatch(/role="alert"/);
      expect(reply.text).toContain('value="1500,5"');
      expect(reply.text).toContain('value="Um &quot;pano&quot;"');
      expect(reply.text).toContain(`name="key" value="${form['key']}"`);
      const lines = written.split('\n').filter((line) => line.includes(reply.headers.get('x-request-id')!));
      expect(lines.some((line) => line.includes('request failed') && line.includes('refused'))).toBe(true);
    });
    expect(await countOf('payments')).toBe(before);
    const sent = [await owner.post(COUNTER, form), await owner.post(COUNTER, form)];
    expect(sent.map(({ status }) => status)).toEqual([303, 303]);
    expect(await countOf('payments')).toBe(before + 1);
  },
);

test('an action with an error after its commit shows an unknown outcome, and does not run twice', async () => {
  const before = await countOf('merchants');
  const token = formTokenIn(await owner.open(ACCOUNT));
  const form = { act: 'create', token, key: crypto.randomUUID(), name: 'Panos do Mussulo' };
  // The merchant was committed before the error, and the new session was not.
  await whileRefused('sessions', `merchant_id = '${DEMO.merchantId}'`, async () => {
    expectUnknown(await owner.post(ACCOUNT, form), 500, 'Não se sabe se foi feito');
  });
  expect(await countOf('merchants')).toBe(before + 1);
  expect((await owner.post(ACCOUNT, form)).headers.get('location')).toBe(`${ACCOUNT}?done=again`);
  expect(await countOf('merchants')).toBe(before + 1);
});

test('the console returns an error page with Retry-After if it cannot draw a screen', async () => {
  const before = await countOf('payments');
  const form = await drawCharge();
  const release = await holdLock(postgres.url, 'lock table payments in access exclusive mode');
  const sent = owner.post(COUNTER, form);
  await until(async () => (await countWaiting(postgres.url, 'with creation')) > 0, 'the charge waiting');
  // The frozen process keeps its lock to the end, so the waiting charge is not created.
  const held = `select pid from pg_locks where relation = 'payments'::regclass and granted`;
  const holder = (await app.sql(held))[0].pid as number;
  process.kill(holder, 'SIGSTOP');
  const stopped = postgres.stop();
  const reply = await sent.finally(() => process.kill(holder, 'SIGCONT'));
  await stopped;
  expectUnknown(reply, 503, 'Não se sabe se foi feito');
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  await release();
  // The console cannot read the session of this form, so it executes no action.
  expect((await owner.post(COUNTER, form)).text).toContain('Nada mudou');
  await postgres.start();
  await until(async () => (await app.call('/readyz')).status === 200, 'readiness');
  expect(await countOf('payments')).toBe(before);
  expect((await owner.post(COUNTER, form)).status).toBe(303);
});
