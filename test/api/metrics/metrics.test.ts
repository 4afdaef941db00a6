// The metrics of a node for Prometheus.
import pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFigures } from '../../../server/metrics/figures.ts';
import { VERSION } from '../../../server/config.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, untilDelivery } from '../../support/callbacks.ts';
import { testClock } from '../../support/clock.ts';
import { freshDatabase, querySql } from '../../support/database.ts';
import { untilNoStatementRuns } from '../../support/idle.ts';
import { approved, notify, NOTIFY_ENV, untilSent } from '../../support/notify.ts';
import { create, purchase, webframe } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';
import { readScrape } from '../../support/scrape.ts';
import { stopLater } from '../../support/stop-later.ts';

const KINDS = [
  { name: 'attempts', table: 'attempts' },
  { name: 'sms_follow', table: 'sms_messages', where: "status = 'Sent'" },
];

/** A time limit that no slow machine reaches. */
const PATIENT_MS = 60_000;

async function openOnFresh() {
  const fresh = await freshDatabase();
  const clock = testClock();
  const figures = await openFigures({ clock, databaseUrl: fresh.url, kinds: KINDS, withinMs: PATIENT_MS });
  const stop = async () => {
    await figures.close();
    await fresh.drop();
  };
  return stopLater({ url: fresh.url, clock, figures, stop });
}

/** Returns the values of a metric by its name and label value. */
function shortly(read: Awaited<ReturnType<Awaited<ReturnType<typeof openFigures>>['read']>>): Record<string, number> {
  return Object.fromEntries(
    (read ?? []).map(({ name, labels, value }) => {
      const [label] = Object.values(labels);
      return [name.replace('balcao_', '') + (label === undefined ? '' : ` ${label}`), Math.round(value)];
    }),
  );
}

/** Returns the time so many minutes before the time of the test clock. */
const ago = (clock: { now(): Date }, minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);

describe('the metrics that a node reads from the database', () => {
  let opened: Awaited<ReturnType<typeof openOnFresh>>;
  beforeAll(async () => {
    opened = await openOnFresh();
  });
  beforeEach(() => opened.clock.leap(5_000));

  test('are 0 if no work waits', async () => {
    const { figures } = opened;
    const read = shortly(await figures.read());
    const zeros = Object.entries(read).filter(([, value]) => value === 0);
    expect(zeros.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'jobs_due attempts',
        'jobs_oldest_due_seconds sms_follow',
        'deliveries_pending working',
        'deliveries_pending failing',
        'endpoints_failing',
        'orders_undecided 0',
        'orders_undecided 86400',
        'orders_left_to_person',
        'rail_messages_unmatched unmatched',
        'rail_messages_unmatched unknown_reference',
        'messages_pending mail',
        'messages_pending sms',
        'events_seq',
      ]),
    );
    expect(read['database_connections']).toBeGreaterThan(0);
    expect(read['database_connections_max']).toBeGreaterThan(10);
    expect(Object.keys(read).find((name) => name.startsWith('database_info'))).toMatch(/ \d{8}_\w+$/);
  });

  test('are read once for two scrapes at the same moment', async () => {
    const { url, clock, figures } = opened;
    const mails = async () => shortly(await figures.read())['messages_pending mail'];
    expect(await mails()).toBe(0);
    await querySql(
      url,
      `insert into mails (id, "to", subject, sealed_text, sealed_html, created_at, due_at)
       values (gen_random_uuid(), 'a@b.ao', '', '', '', now(), now())`,
    );
    clock.leap(4_999);
    expect(await mails()).toBe(0);
    clock.leap(1);
    expect(await mails()).toBe(1);
    await querySql(url, 'delete from mails');
  });

  test('contain the difference between the clock of the node and the clock of the database', async () => {
    const { clock, figures } = opened;
    const aheadS = () => (clock.now().getTime() - Date.now()) / 1000;
    const most = aheadS();
    const offset = shortly(await figures.read())['clock_offset_seconds'] as number;
    // The database's clock moves on during a slow read.
    expect(offset).toBeLessThan(most + 5);
    expect(offset).toBeGreaterThan(aheadS() - 5);
  });

  test('are missing while the database does not respond, and return afterwards', async () => {
    const { url, clock } = opened;
    const figures = await openFigures({ clock, databaseUrl: url, kinds: KINDS });
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('begin; lock table mikro_orm_migrations in access exclusive mode');
    expect(await figures.read()).toBeNull();
    // PostgreSQL ends the waiting query, because otherwise each scrape would occupy a connection.
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await until(async () => (await querySql(url, waiting)).length === 0, 'the end of the waiting query');
    await holder.end();
    const read = await until(() => {
      clock.leap(5_000);
      return figures.read();
    }, 'the figures of the database');
    expect(shortly(read)).toMatchObject({ 'messages_pending mail': 0 });
    await figures.close();
  });

  test('contain the number of waiting jobs and the age of the oldest job', async () => {
    const { url, clock, figures } = opened;
    const merchantId = '0199a000-0000-7000-8000-000000000001';
    const sql = (text: string, values: unknown[] = []) => querySql(url, text, values);
    const [{ id: paymentId }] = await sql(
      `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method, status,
        revision, created_at)
       values (gen_random_uuid(), $1, 'R', 1, 'AOA', 'GPO', 'webframe', 'Processing', 1, $2) returning id`,
      [merchantId, clock.now()],
    );
    const attempt = (status: string, minutes: number, dueAt: Date | null) =>
      sql(
        `insert into attempts (id, payment_id, status, created_at, sent_at, due_at)
          values (gen_random_uuid(), $1, $2, $3, $3, $4)`,
        [paymentId, status, ago(clock, minutes), dueAt],
      );
    await attempt('Sent', 2, ago(clock, 1));
    await attempt('Unsent', 90, null);
    await attempt('Approved', 900, null);
    const lost = (outcome: string, minutes: number) =>
      sql(
        `insert into inbox (id, rail, notification_id, body, received_at, outcome)
          values (gen_random_uuid(), 'gpo', gen_random_uuid()::text, '', $1, $2)`,
        [ago(clock, minutes), outcome],
      );
    await lost('unmatched', 10);
    await lost('unmatched', 1_441);
    await lost('applied', 10);
    await sql(
      `insert into mails (id, "to", subject, sealed_text, sealed_html, created_at, due_at)
       values (gen_random_uuid(), 'a@b.ao', '', '', '', $1, $2)`,
      [ago(clock, 7), clock.now()],
    );
    const endpoint = async (probeAt: Date | null) => {
      const [{ id }] = await sql(
        `insert into endpoints (id, merchant_id, kind, url, failures, failing_since, probe_at, created_at, updated_at)
         values (gen_random_uuid(), gen_random_uuid(), 'callback', 'https://a.ao', 5, $1, $2, $1, $1) returning id`,
        [ago(clock, 30), probeAt],
      );
      const deliver = (dueAt: Date, leasedUntil: Date | null = null) =>
        sql(
          `insert into deliveries (id, merchant_id, endpoint_id, kind, type, status, created_at, due_at, leased_until)
           values (gen_random_uuid(), $1, $2, 'callback', 'callback.ppr', 'Pending', $3, $4, $5)`,
          [merchantId, id, clock.now(), dueAt, leasedUntil],
        );
      return deliver;
    };
    const working = await endpoint(null);
    // A node is sending this delivery.
    await working(ago(clock, 9), ago(clock, -1));
    await working(ago(clock, 3));
    await (
      await endpoint(ago(clock, -1))
    )(ago(clock, 20));
    expect(shortly(await figures.read())).toMatchObject({
      'jobs_due attempts': 1,
      'jobs_oldest_due_seconds attempts': 60,
      'orders_undecided 0': 2,
      'orders_undecided 60': 2,
      'orders_undecided 300': 1,
      'orders_undecided 3600': 1,
      'orders_undecided 86400': 0,
      orders_oldest_seconds: 5_400,
      orders_left_to_person: 1,
      'rail_messages_unmatched unmatched': 1,
      'messages_pending mail': 1,
      'messages_oldest_seconds mail': 420,
      'deliveries_pending working': 2,
      'deliveries_oldest_due_seconds working': 180,
      'deliveries_pending failing': 1,
      'deliveries_oldest_due_seconds failing': 1_200,
      endpoints_failing: 1,
      endpoints_failing_oldest_seconds: 1_800,
    });
  });
});

describe('GET /metrics', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { ...NOTIFY_ENV, ...RECEIVER_ENV, NODE_NAME: 'node-of-tests' } });
    await untilNoStatementRuns(app);
  });
  const scrape = () => readScrape(app.url);
  /** Repeats the scrape until the database returns its figures in time, which a busy machine may delay. */
  const scrapeWhole = () =>
    until(async () => {
      const read = await scrape();
      if (read.value('balcao_database_up') === 1) return read;
      await app.clock.advance(5_000);
      return null;
    }, 'the figures of the database');
  /** Returns a function that reads how much a metric grew since this call. */
  async function watchGrowth() {
    const before = await scrape();
    return async (name: string, labels: Record<string, string>) =>
      (await scrape()).value(name, labels) - before.value(name, labels);
  }

  test('returns the version, the state of the connection pool, and the metrics of the database', async () => {
    const { value, samples } = await scrapeWhole();
    const [info] = samples.filter(({ name }) => name === 'balcao_build_info');
    expect(info?.labels).toMatchObject({ version: VERSION, node: 'node-of-tests' });
    const [database] = samples.filter(({ name }) => name === 'balcao_database_info');
    expect(database?.labels['schema']).toBe(info?.labels['schema']);
    expect(value('balcao_database_up')).toBe(1);
    expect(value('balcao_pool_connections_max')).toBe(app.node.core.config.DATABASE_POOL);
    expect(value('balcao_pool_waiting')).toBe(0);
    const queues = samples.filter(({ name }) => name === 'balcao_jobs_due').map(({ labels }) => labels['queue']);
    expect(queues).toEqual(expect.arrayContaining(['attempts', 'inbox', 'mails', 'rail_feeds']));
  });

  test('returns the metrics of the node while the database does not respond', async () => {
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table mikro_orm_migrations in access exclusive mode');
    await app.clock.advance(5_000);
    const { value, samples } = await scrape().finally(() => holder.end());
    expect(value('balcao_database_up')).toBe(0);
    expect(value('balcao_pool_connections_max')).toBe(app.node.core.config.DATABASE_POOL);
    const known = samples.filter(({ name }) =>
      /^balcao_(jobs|orders|deliveries|endpoints|clock|database_c)/.test(name),
    );
    expect(known.filter(({ name }) => !name.startsWith('balcao_deliveries_ended'))).toEqual([]);
  });

  test('counts payments by method and status, and calls to rails by result', async () => {
    const grew = await watchGrowth();
    const { id } = await create(app, purchase('923000071'));
    await notify(app, (await untilSent(app, id)).id, approved());
    const method = 'onetimepurchase';
    for (const status of ['Processing', 'Paid'])
      expect(await grew('balcao_payments_total', { method, status })).toBe(1);
    const sent = { connector: 'balcao', kind: 'gpo', call: 'send', result: 'pending' };
    expect(await grew('balcao_rail_call_seconds_count', sent)).toBe(1);
  });

  test('does not count a payment whose creation was refused', async () => {
    const grew = await watchGrowth();
    const body = purchase('923000072', { reference: 'TWICE-1' });
    await create(app, body);
    expect((await app.call('/api/payments', { body })).status).toBe(409);
    expect(await grew('balcao_payments_total', { method: 'onetimepurchase', status: 'Processing' })).toBe(1);
  });

  test('counts delivery attempts, and deliveries that ended', async () => {
    const grew = await watchGrowth();
    const receiver = await startReceiver({});
    const shop = await openCallbackFixture(app, receiver.url);
    await sell(app, shop);
    await untilDelivery(shop, 'Delivered');
    const ended = { kind: 'callback', status: 'Delivered' };
    await until(() => grew('balcao_deliveries_ended_total', ended), 'the figure of the delivery');
    const called = { kind: 'callback', outcome: 'delivered' };
    expect(await grew('balcao_delivery_attempt_seconds_count', called)).toBe(1);
  });

  test('counts requests that a rate limit refused, by rate-limit bucket', async () => {
    const narrow = await app.startTwin({ env: { RATE_LIMIT_READ: '1' } });
    const grew = await watchGrowth();
    const statuses = [1, 2].map(async () => (await narrow.call('/api/payments')).status);
    expect((await Promise.all(statuses)).toSorted()).toEqual([200, 429]);
    expect(await grew('balcao_limit_refusals_total', { bucket: 'read' })).toBe(1);
  });

  test('returns the position of the newest event and of the newest event that the node has read', async () => {
    await create(app, webframe());
    await app.clock.advance(6_000);
    const { value } = await until(async () => {
      const now = await scrapeWhole();
      return now.value('balcao_tail_seq') >= now.value('balcao_events_seq') ? now : null;
    }, 'the tail at the newest event');
    expect(value('balcao_events_seq')).toBeGreaterThan(0);
    expect(value('balcao_tail_success_timestamp_seconds')).toBeGreaterThan(1_700_000_000);
  });

  test('has no id, phone number or address in the labels', async () => {
    const { text } = await scrape();
    const [{ id }] = await app.sql(`select merchant_id as id from clients where id = 'demo'`);
    for (const secret of [id, '923000071', '127.0.0.1']) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/);
  });
});
