// The last release and this one on one database: the older node goes on while the newer one changes the schema, and both after that.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectMerchant, killChildren, startChild, type Child, type MerchantClient } from '../support/child.ts';
import { querySql } from '../support/database.ts';
import { findLastRelease, findMissing, openRelease } from '../support/older-release.ts';
import { purchase, webframe } from '../support/payments.ts';
import { SCANNER } from '../support/qrcodes.ts';
import { startRail, type Rail } from '../support/rail.ts';
import { RECEIVER_ENV, startReceiver, type Receiver } from '../support/receiver.ts';
import type { Sql } from '../support/truth.ts';
import { until } from '../support/app.ts';

const last = findLastRelease();
const missing = findMissing(last);

describe.skipIf(missing !== null)(`beside ${last.version}${missing ? `: ${missing}` : ''}`, () => {
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  const admin = new URL(inject('databaseUrl'));
  admin.pathname = '/postgres';
  const url = Object.assign(new URL(admin), { pathname: `/${name}` }).href;
  const sql: Sql = (text, values) => querySql(url, text, values);
  let rail: Rail;
  let receiver: Receiver;
  let env: Record<string, string>;
  let release = '';
  let older: Child;
  let newer: Child | null = null;
  let merchants: MerchantClient[];
  const failed: string[] = [];
  let turn = 0;

  beforeAll(async () => {
    await querySql(admin.href, `create database ${name} template template0`);
    // News of the rail reach now the one, now the other.
    rail = await startRail({ gatewayUrl: () => (newer && turn++ % 2 ? newer : older).url });
    receiver = await startReceiver();
    env = { ...rail.env, ...RECEIVER_ENV, DATABASE_URL: url, LOG_LEVEL: 'warn', PUBLIC_URL: 'http://localhost:1' };
    release = openRelease(last);
    older = await startChild({ env, release });
    merchants = [connectMerchant(() => older.url)];
    await merchants[0]!.call('/api/webhooks', { body: { url: `${receiver.url}/webhook` } });
  });
  afterAll(async () => {
    await killChildren();
    if (release) rmSync(release, { recursive: true });
    await querySql(admin.href, `drop database if exists ${name} with (force)`);
  });

  /** A push, and a code that is scanned. */
  async function sell(merchant: MerchantClient): Promise<void> {
    const pushed = await merchant.call('/api/payments', { body: purchase('900000000') });
    const headers = { prefer: 'return=representation' };
    const body = webframe({ metadata: { paymentMethod: 'qrcode' } });
    const code = await merchant.call('/api/payments', { body, headers });
    for (const { status, text } of [pushed, code]) if (status !== 201) failed.push(`${status} ${text}`);
    if (code.status === 201) await rail.scan(code.json.qrCode.content, SCANNER);
  }

  async function untilPaid(): Promise<void> {
    const isAllPaid = async () => (await sql(`select from payments where status <> 'Paid' limit 1`)).length === 0;
    await until(isAllPaid, 'every payment being paid', 20_000);
  }

  test('nothing fails while the newer one starts, and both take money and tell of it', async () => {
    for (let nth = 0; nth < 3; nth++) await sell(merchants[0]!);
    let isReady = false;
    const starting = startChild({ env })
      .then((child) => (newer = child))
      .finally(() => (isReady = true));
    while (!isReady) await sell(merchants[0]!);
    await starting;
    merchants.push(connectMerchant(() => newer!.url));
    for (let nth = 0; nth < 6; nth++) await Promise.all(merchants.map(sell));
    await untilPaid();
    expect(failed).toEqual([]);
    expect(older.output()).not.toContain('"level":50');
    expect(newer!.output()).not.toContain('"level":50');
    const { data, qrcodes } = await rail.allBooks();
    const approved = data.filter(({ status }) => status === 'APPROVED').length;
    const scanned = qrcodes.flatMap(({ payments }) => payments).filter(({ status }) => status === 'ACCEPTED').length;
    const [{ received }] = await sql('select count(*)::int as received from transactions');
    expect(received).toBe(approved + scanned);
    const [books] = await sql(
      `select count(*)::int as missing from transactions t left join settlements s
         on s.merchant_id = t.merchant_id and s.rail = t.rail and s.period = t.period where s.id is null`,
    );
    expect(books).toEqual({ missing: 0 });
    // Each payment's end was told, by whichever node; one of both may tell an event twice, by one id.
    const [{ count }] = await sql(`select count(*)::int from events where type = 'payment.paid'`);
    const told = () =>
      new Set(
        receiver.requests
          .filter(({ json }) => json?.type === 'payment.paid')
          .map(({ headers }) => headers['webhook-id']),
      );
    await until(() => told().size === count, 'every payment being told of', 20_000);
  });
});
