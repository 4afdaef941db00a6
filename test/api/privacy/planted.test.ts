import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { PAYMENT_STATUSES, isFinal } from '../../../shared/status.ts';
import type { Route } from '../../../server/http/route.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { bodyOf, fill, guardedRoutes, makeOneOfEach, type OneOfEach } from '../../support/one-of-each.ts';
import { isCalling } from '../../support/payments.ts';
import { PPR } from '../../support/ppr.ts';
import { insertPerson } from '../../support/personal-data.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';

const NAME = 'Domingas Kiala';
const EMAIL = 'domingas-k@correio.example';
const SPELLINGS = ['923456789', '923 456 789', '923-456-789', EMAIL];
const TEXT = `${NAME} 923 456 789, ${EMAIL}`;
/** Marked personal data, the longest first. The test sends each field the first value that the field accepts. */
const PLANTS = [TEXT, '923 456 789', '923-456-789', '923456789', EMAIL, `https://loja.example/?c=${EMAIL}`];

/** Tables with the merchant's own names and texts, which an erasure keeps. */
const OWN = [
  'articles',
  'clients',
  'endpoints',
  'links',
  'memberships',
  'merchants',
  'rail_accounts',
  'terminals',
  'users',
];
/** The node deletes idempotency keys after a day and mails after a month. */
const BRIEF = ['idempotency_keys', 'mails'];

let app: TestApp;
let one: OneOfEach;
beforeAll(async () => {
  app = await startTestApp({ env: RECEIVER_ENV });
  one = await makeOneOfEach(app);
  // Creates a payment that can be refunded.
  const { paymentId } = await insertPerson(app, one.ids['merchantId'] as string, app.clock.now());
  one.ids['internalPaymentId'] = paymentId;
  await app.sql(`delete from inbox where body like '%923456789%'`);
});

/** The test skips operations that end rows of other operations or write the merchant's own names. */
const SPARED =
  /^(erasePersonalData|exportPersonalData|.*(delete|remove|revoke|rotate|signOut|Access).*|(create|update)Merchant|(create|change)Article|createClient|.*RailAccount|changeProfile)$/i;

const planted = () =>
  guardedRoutes(app).filter(
    ({ method, body, access, operationId }) =>
      (method === 'POST' || method === 'PUT') && body && access.kind === 'bearer' && !SPARED.test(operationId),
  );

type Json = Record<string, any>;

/** Returns the JSON pointers of the texts in the example and of the optional texts. */
function textsOf(schema: any, value: any, at = ''): string[] {
  if (typeof value === 'string') return [at];
  const properties: Json = schema?.properties ?? {};
  const names = new Set([...Object.keys(properties), ...Object.keys(Object(value))]);
  return [...names].flatMap((name) => {
    const inside = Object(value)[name];
    if (Array.isArray(inside)) return inside.flatMap((entry, nth) => textsOf(null, entry, `${at}/${name}/${nth}`));
    if (typeof inside === 'object' && inside !== null) return textsOf(properties[name], inside, `${at}/${name}`);
    const isText = JSON.stringify(properties[name] ?? {}).includes('"type":"string"') && inside === undefined;
    return typeof inside === 'string' || isText ? [`${at}/${name}`] : [];
  });
}

function put(body: Json, pointer: string, value: unknown): void {
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() as string;
  const inside = steps.reduce<Json>((at, step) => (at[step] ??= {}), body);
  if (value === undefined) delete inside[last];
  else inside[last] = value;
}

const get = (body: Json, pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce<any>((at, step) => at?.[step], body);

/** Returns the texts that accepted the personal data, or null if the operation refused for another reason. */
async function plant(route: Route): Promise<string[] | null> {
  const path = fill(route.path, one.ids);
  const schema = z.toJSONSchema(route.body!, { io: 'input', unrepresentable: 'any' });
  const example = structuredClone((bodyOf(route, one.ids).body ?? {}) as Json);
  const tried = new Map(textsOf(schema, example).map((pointer) => [pointer, 0]));
  for (let turns = 0; turns < 12; turns++) {
    const body = structuredClone(example);
    for (const [pointer, nth] of tried) put(body, pointer, PLANTS[nth] ?? get(example, pointer));
    const reply = await app.call(path, { method: route.method, body });
    if (reply.status < 300) return [...tried].filter(([, nth]) => nth < PLANTS.length).map(([pointer]) => pointer);
    const faults: string[] = (reply.json?.errors ?? []).map(({ pointer }: any) => pointer);
    const wrong = [...tried.keys()].filter((pointer) => faults.some((fault) => pointer.startsWith(fault)));
    if (wrong.length === 0) return null;
    for (const pointer of wrong) tried.set(pointer, (tried.get(pointer) as number) + 1);
  }
  return null;
}

/** Returns the columns of these tables that contain the person's data. */
async function traces(tables: (name: string) => boolean): Promise<string[]> {
  const columns = await app.sql<{ table: string; column: string }>(
    `select c.table_name as "table", c.column_name as "column" from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'jsonb', 'json', 'ARRAY')`,
  );
  const found = [];
  for (const { table, column } of columns.filter((each) => tables(each.table))) {
    const pattern = SPELLINGS.join('|');
    const rows = await app.sql(
      `select "${column}"::text as text from "${table}" where "${column}"::text ~* $1 limit 1`,
      [pattern],
    );
    if (rows.length > 0) found.push(`${table}.${column}: ${rows[0].text.slice(0, 120)}`);
  }
  return found;
}

test('phones and email addresses in any text are never in the audit, and nowhere after an erasure', async () => {
  const taken = new Map<string, string[]>();
  for (const route of planted()) taken.set(route.operationId, (await plant(route)) ?? []);
  const operations = [...taken].filter(([, texts]) => texts.length > 0).map(([operation]) => operation);
  // Enough operations must accept the personal data.
  expect(operations).toEqual(
    expect.arrayContaining(['createPayment', 'createRefund', 'createLink', 'createReference', 'enterCredits']),
  );
  expect(operations.length).toBeGreaterThan(15);
  expect(await traces((table) => table === 'audit_entries')).toEqual([]);

  const payments = await app.sql('select id, status from payments');
  for (const { id, status } of payments)
    if (PAYMENT_STATUSES.includes(status) && !isFinal(status))
      await app.call(`/api/payments/${id}/cancel`, { method: 'POST' });
  for (const { reference } of await app.sql(`select reference from payment_references where status = 'Pending'`))
    await app.call(`${PPR}/${reference}/cancel`, { method: 'POST' });
  for (const subject of [{ phone: '923456789' }, { email: EMAIL }]) {
    const { json } = await app.call('/api/privacy/erase', { body: subject });
    await until(
      async () => {
        // No endpoint confirms these deliveries. Their payments are open until the node abandons the deliveries.
        await app.sql(`update deliveries set due_at = null, status = 'Failed' where due_at is not null`);
        // A rail notification that times out is repeated after the erasure, and brings the phone back.
        await app.clock.advance(isCalling(app) ? 500 : 5_000);
        return (await app.call(`/api/privacy/erasures/${json.id}`)).json.status === 'Done';
      },
      `${JSON.stringify(subject)} being erased`,
    );
  }
  // The title of a link is the merchant's product name. The events of the link contain it too.
  await app.sql(`delete from events where type like 'link.%'`);
  const left = await traces((table) => ![...OWN, ...BRIEF].includes(table));
  // A merchant may use a phone number as the digits of a reference, by which the rail knows the payment.
  expect(left.filter((trace) => !trace.startsWith('payment_references.reference: '))).toEqual([]);
});
