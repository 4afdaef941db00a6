// The cost of a list by its length: PostgreSQL reads as many pages for a list of 20,000 rows as for one of 1,000.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FILL_PAYMENT_SEARCH } from '../../../server/database/functions/payment-words.ts';
import { recountLists } from '../../../server/lists/recount.ts';
import { indexFreshWords } from '../../../server/payments/search-index.ts';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const FEW = 1_000;
const MANY = 20_000;
/** The longer list may read this many more pages: its indexes are deeper and its rows are on more pages. */
const ALLOWED = 60;

const WEBHOOK = '01980000-0000-7000-8000-00000000000a';
const LINK = '01980000-0000-7000-8000-00000000000b';
const BATCH = '01980000-0000-7000-8000-00000000000d';
const PAYMENT = '01980000-0000-7000-8000-00000000000c';

/** Inserts the rows number $2 to $3 of merchant $1, all within 5 hours. Only the first row has the rare value. */
const rare = (first: string, others: string) => `case when n = 1 then '${first}' else '${others}' end`;
const AT = `'2026-03-01T08:00Z'::timestamptz + make_interval(secs => n % 18000)`;
const ROWS = `from generate_series($2::int, $3::int) n`;
const FILLS = [
  `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
    revision, created_at)
    select gen_random_uuid(), $1::uuid, 'F' || n, n, 'AOA', 'GPO', ${rare('qrcode', 'webframe')}, ${rare('Failed', 'Paid')}, 1, ${AT}
    ${ROWS}`,
  `insert into payment_references (id, payment_id, merchant_id, entity, reference, type, contract, status, created_at,
    expires_at)
    select gen_random_uuid(), gen_random_uuid(), $1::uuid, '00000', n::text, 'Dynamic', 'current',
      ${rare('Canceled', 'Paid')}, ${AT}, ${AT} ${ROWS}`,
  `insert into refunds (id, merchant_id, payment_id, transaction_id, method, amount_minor, currency, status, revision,
    requested_by_kind,
      requested_by_id, details, created_at)
    select gen_random_uuid(), $1::uuid, '${PAYMENT}', gen_random_uuid(), 'rail', 1, 'AOA',
      ${rare('Failed', 'Succeeded')}, 1, 'system', 'x', '{}', ${AT} ${ROWS}`,
  `insert into links (id, merchant_id, slug, title, currency, created_at, updated_at)
    select gen_random_uuid(), $1::uuid, 'flat' || n, 'L', 'AOA', ${AT}, ${AT} ${ROWS}`,
  `insert into link_payments (payment_id, link_id, merchant_id, status, created_at)
    select gen_random_uuid(), '${LINK}', $1::uuid, ${rare('Paid', 'Released')}, ${AT} ${ROWS}`,
  `insert into audit_entries (id, merchant_id, action, actor_kind, actor_id, changes, occurred_at)
    select gen_random_uuid(), $1::uuid, ${rare('rare.done', 'often.done')}, 'system', 'x', '{}', ${AT} ${ROWS}`,
  `insert into notifications (id, merchant_id, type, details, subject, created_at, read_at)
    select gen_random_uuid(), $1::uuid, 'access.granted', '{}', 'flat ' || n, ${AT}, case when n = 1 then ${AT} end
    ${ROWS}`,
  `insert into deliveries (id, merchant_id, endpoint_id, kind, type, status, created_at)
    select gen_random_uuid(), $1::uuid, '${WEBHOOK}', 'webhook', 'payment.paid', ${rare('Abandoned', 'Delivered')},
      ${AT} ${ROWS}`,
  `insert into deliveries (id, merchant_id, kind, type, status, created_at)
    select gen_random_uuid(), $1::uuid, 'callback', 'callback.ppr', ${rare('Abandoned', 'Skipped')}, ${AT} ${ROWS}`,
  `insert into sms_messages (id, merchant_id, batch_id, phone, parts, status, listed_at)
    select gen_random_uuid(), $1::uuid, '${BATCH}', '+2449' || 23000000 + n, 1, ${rare('Failed', 'Delivered')}, ${AT}
    ${ROWS}`,
  `insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, run_at, created_at)
    select gen_random_uuid(), $1::uuid, 'S', 'T', 1, 1, ${rare('Canceled', 'Released')}, ${AT}, ${AT} ${ROWS}`,
  `insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, created_at)
    select gen_random_uuid(), $1::uuid, ${rare('credit', 'debit')}, 1, 1, 'D', ${AT} ${ROWS}`,
  `insert into sms_contacts (id, merchant_id, name, phone, created_at, updated_at)
    select gen_random_uuid(), $1::uuid, 'N', '+2449' || 24000000 + n, ${AT}, ${AT} ${ROWS}`,
  `insert into sms_lists (id, merchant_id, name, created_at) select gen_random_uuid(), $1::uuid, 'N', ${AT} ${ROWS}`,
  `insert into sms_templates (id, merchant_id, name, content, created_at, updated_at)
    select gen_random_uuid(), $1::uuid, 'N', 'T', ${AT}, ${AT} ${ROWS}`,
];

/** Each list endpoint with a query, and whether the filter of the query selects all rows or only the rare row. */
const PATHS: [path: string, left: 'all' | 'one'][] = [
  ['/api/payments', 'all'],
  ['/api/payments?status=Failed', 'one'],
  ['/api/payments?page=13&pageSize=80&to=2026-03-01T12:30:30Z', 'all'],
  ['/api/payments?search=0,01', 'one'],
  ['/api/payments?paymentMethod=qrcode', 'one'],
  ['/api/references/ppr', 'all'],
  ['/api/references/ppr?status=Canceled', 'one'],
  ['/api/refunds', 'all'],
  ['/api/refunds?status=Failed', 'one'],
  ['/api/links', 'all'],
  [`/api/links/${LINK}/payments`, 'all'],
  [`/api/links/${LINK}/payments?status=Paid`, 'one'],
  [`/api/merchants/${DEMO.merchantId}/audit`, 'all'],
  [`/api/merchants/${DEMO.merchantId}/audit?action=rare.done`, 'one'],
  ['/v1/notificacoes', 'all'],
  ['/v1/notificacoes?estado=0', 'all'],
  ['/v1/notificacoes?estado=1', 'one'],
  ['/api/callbacks', 'all'],
  ['/api/callbacks?status=Abandoned', 'one'],
  [`/api/webhooks/${WEBHOOK}/deliveries`, 'all'],
  [`/api/webhooks/${WEBHOOK}/deliveries?status=Abandoned`, 'one'],
  ['/api/Envio/ListarSmsEnviadas', 'all'],
  ['/api/Envio/ListarSmsEnviadas?estado=Falhado', 'one'],
  ['/api/Envio/ListarSmsEnviadas?desde=2026-03-01&ate=2026-03-01', 'all'],
  ['/api/Envio/PesquisarSMSEnviados?dia=1&mes=3&ano=2026', 'all'],
  ['/api/Envio/ListarSmsAgendadas', 'all'],
  ['/api/Envio/ListarSmsAgendadas?estado=Cancelado', 'one'],
  ['/api/ContaSms/ListarMovimentos', 'all'],
  ['/api/ContaSms/ListarMovimentos?tipo=Credito', 'one'],
  ['/api/Contactos/ListarContactos', 'all'],
  ['/api/Contactos/ListarListasDeContactos', 'all'],
  ['/api/TemplatesSMS/ListarTemplates', 'all'],
];

let app: TestApp;
let client: pg.Client;
const original = pg.Client.prototype.query;
let sent: { text: string; values: unknown[] }[] | null = null;

beforeAll(async () => {
  app = await startTestApp();
  client = new pg.Client(app.databaseUrl);
  await client.connect();
  pg.Client.prototype.query = function (this: pg.Client, ...args: any[]) {
    const { text, values = [] } = typeof args[0] === 'string' ? { text: args[0] } : args[0];
    if (this !== client) sent?.push({ text, values });
    return original.apply(this, args as never);
  } as typeof original;
  await client.query(
    `insert into endpoints (id, merchant_id, kind, url, created_at, updated_at)
      values ($1, $2, 'webhook', 'https://x.ao', now(), now())`,
    [WEBHOOK, DEMO.merchantId],
  );
  await client.query(
    `insert into links (id, merchant_id, slug, title, currency, created_at, updated_at)
      values ($1, $2, 'flat', 'L', 'AOA', '2026-02-01', now())`,
    [LINK, DEMO.merchantId],
  );
  await client.query(
    `insert into sms_batches (id, merchant_id, sender, content, recipients, units, status, created_at)
      values ($1, $2, 'S', 'T', 1, 1, 'Released', now())`,
    [BATCH, DEMO.merchantId],
  );
});
afterAll(async () => {
  pg.Client.prototype.query = original;
  await client.end();
});

async function fill(first: number, last: number): Promise<void> {
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  for (const text of FILLS) await client.query(text, [DEMO.merchantId, first, last]);
  await client.query('commit');
  await client.query(FILL_PAYMENT_SEARCH);
  await indexFreshWords(app.node.core);
  await recountLists(app.node.core);
  await client.query('vacuum analyze');
}

/** Returns the total of a list endpoint, and the number of 8 KiB pages that PostgreSQL reads for the request. */
async function measure(path: string): Promise<{ total: number; pages: number }> {
  sent = [];
  const { status, json } = await app.call(path);
  const queries = sent.filter(
    ({ text }) => /^\s*(select|with)/i.test(text) && !/\b(insert|update|delete)\b/i.test(text),
  );
  sent = null;
  expect({ path, status }).toEqual({ path, status: 200 });
  let pages = 0;
  for (const { text, values } of queries) {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
    const { Plan } = rows[0]['QUERY PLAN'][0];
    pages += Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
  }
  return { total: json.totalItems, pages };
}

test('a list endpoint reads equally many database pages with twenty times as many rows', async () => {
  const measured: Record<string, { few: number; many: number }> = {};
  await fill(1, FEW);
  const short = new Map<string, { total: number; pages: number }>();
  for (const [path] of PATHS) short.set(path, await measure(path));
  await fill(FEW + 1, MANY);
  for (const [path, left] of PATHS) {
    const few = short.get(path)!;
    const many = await measure(path);
    measured[path] = { few: few.pages, many: many.pages };
    const grown = left === 'all' ? MANY - FEW : 0;
    if (!path.includes('to=')) expect({ path, total: many.total - few.total }).toEqual({ path, total: grown });
  }
  const grown = Object.entries(measured).filter(([, { few, many }]) => many > few + ALLOWED);
  expect(grown).toEqual([]);
});
