// The guide's shop of shell functions: it creates payments, verifies reports and finishes each payment once.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { signWebhook } from '../../../server/webhooks/message.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { pay, untilReceived, untilRegistered } from '../../support/ppr.ts';
import { ROOT } from '../../support/source.ts';

const ACCESS_KEY = 'K7tq-9vXw2-mRp4zL';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp();
  await app.call(`/api/merchants/${DEMO.merchantId}`, { method: 'PUT', body: { returnOrigins: [app.url] } });
  folder = mkdtempSync(join(tmpdir(), 'shell-shop-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = promisify(execFile);

/** Runs a function of the shop. Returns its output, or null if it fails. */
async function call(...command: string[]): Promise<string | null> {
  const env = {
    PATH: process.env['PATH'],
    GATEWAY: app.url,
    SHOP: app.url,
    DATA: folder,
    ACCESS_KEY,
    WEBHOOK_SECRET,
  };
  const ran = run('bash', [join(ROOT, 'docs/shop/shop.sh'), ...command], { env });
  return ran.then(
    ({ stdout }) => stdout,
    () => null,
  );
}

describe('the shop of shell functions', () => {
  test.each(['express', 'code', 'reference'])(
    'creates one payment by %s from two requests of an order',
    async (way) => {
      const [one, two] = [
        await call('create_payment', `SH-${way}`, way),
        await call('create_payment', `SH-${way}`, way),
      ];
      const [first, second] = [one, two].map((text) => JSON.parse(text ?? 'null'));
      expect(first).toMatchObject({ amount: 1500, description: 'Café da Gabela' });
      expect(second.internalId).toBe(first.internalId);
    },
  );

  test('ships a paid order once after concurrent reports and the feed', async () => {
    const { internalId, reference, entity, amount } = JSON.parse((await call('create_payment', 'SH-1', 'reference'))!);
    await untilRegistered(app, reference);
    expect(await call('finish', internalId)).toBe('');
    await pay(app, { entity, reference }, { amount: '1500.00' });
    await untilReceived(app, reference, amount);
    const reports = await Promise.all([1, 2, 3, 4].map(() => call('finish', internalId)));
    expect(reports.toSorted()).toEqual(['', '', '', `shipped: ${internalId}\n`]);
    expect(await call('read_feed')).toBe('');
  });

  test('ships an order whose first payment is paid although another one replaced it', async () => {
    const { internalId } = JSON.parse((await call('create_payment', 'SH-2', 'express'))!);
    const body = { paymentMethod: 'reference' };
    const { status, json } = await app.call(`/api/payments/${internalId}/replacement`, { body });
    expect(status).toBe(201);
    await app.sql(`update payments set status = 'Paid' where id = $1`, [internalId]);
    expect(await call('finish', json.internalId)).toBe(`shipped: ${internalId}\n`);
  });

  test('accepts a callback with its key only', async () => {
    expect(await call('is_our_callback', ACCESS_KEY)).toBe('');
    expect(await call('is_our_callback', `${ACCESS_KEY}x`)).toBeNull();
  });

  test('accepts a recent webhook with the signature of its body only', async () => {
    const [file, seconds] = [join(folder, 'body.json'), Math.floor(Date.now() / 1000)];
    const body = '{"type":"payment.paid","name":"Café"}';
    const sign = (at: number) => {
      const signed = signWebhook({ id: 'm1', timestamp: new Date(at * 1000), body, secrets: [WEBHOOK_SECRET] });
      return signed['webhook-signature']!;
    };
    const check = (at: number, signature: string, bytes = body) => {
      writeFileSync(file, bytes);
      return call('is_our_webhook', 'm1', String(at), signature, file);
    };
    expect(await check(seconds, sign(seconds))).toBe('');
    expect(await check(seconds, `v1,b3RoZXI= ${sign(seconds)}`)).toBe('');
    expect(await check(seconds, sign(seconds), `${body} `)).toBeNull();
    expect(await check(seconds - 600, sign(seconds - 600))).toBeNull();
  });
});
