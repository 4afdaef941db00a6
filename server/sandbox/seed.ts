// The sandbox's demo merchant: known credentials, so that the first payment needs no set-up (decisions §10).
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../clock.ts';
import type { Keyring } from '../secrets.ts';

export const DEMO = {
  clientId: 'demo',
  merchantId: '00000000-0000-7000-8000-00000000de30',
  posId: 'demo-pos',
  /** What the shop's server knows its callbacks by. */
  accessKey: 'demo-access-key-0001',
} as const;

/** Where the demo shop is called. */
export const HOOK_PATH = '/sandbox/callbacks/hook';

export type SeedOptions = {
  pool: Pool;
  clock: Clock;
  keyring: Keyring;
  publicUrl: string;
  secret: string;
  scopes: readonly string[];
};

/** Makes the demo merchant at the first start; later starts renew only what follows from the configuration. */
export async function seedDemo(options: SeedOptions): Promise<void> {
  const { pool, clock, publicUrl, secret, scopes } = options;
  const origins = [new URL(publicUrl).origin];
  const now = clock.now();
  await pool.query(
    `insert into merchants (id, name, default_language, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, entity, created_at)
     values ($1::uuid, 'Loja da Ilha', 'pt', $2::text[], $2::text[], '{demo-merchant}', $3::text[], '00999', $4::timestamptz)
     on conflict (id) do update set allowed_origins = excluded.allowed_origins, return_origins = excluded.return_origins,
       entity = coalesce(merchants.entity, excluded.entity)`,
    [DEMO.merchantId, origins, [DEMO.posId], now],
  );
  await pool.query(
    `insert into clients (id, merchant_id, name, secret_hash, scopes, created_at) values ($1, $2::uuid, 'Demo', $3, $4::text[], $5::timestamptz)
     on conflict (id) do update set secret_hash = excluded.secret_hash, scopes = excluded.scopes`,
    [DEMO.clientId, DEMO.merchantId, createHash('sha256').update(secret).digest('base64url'), scopes, now],
  );
  // As the simulator has every terminal that nobody moved yet.
  await pool.query(
    `insert into terminals (id, merchant_id, pos_id, status, period, changed_at) values ($1::uuid, $1::uuid, $2, 'Open', '1', $3::timestamptz)
     on conflict (merchant_id, pos_id) do nothing`,
    [DEMO.merchantId, DEMO.posId, now],
  );
  await seedEndpoint(options);
  await seedBilling(pool, now);
  await seedUnits(pool, now);
}

/** The merchant's own server, in the sandbox; one that was set or removed since is the merchant's choice. */
async function seedEndpoint({ pool, clock, keyring, publicUrl }: SeedOptions): Promise<void> {
  const [url, now] = [publicUrl + HOOK_PATH, clock.now()];
  await pool.query(
    `insert into endpoints (id, merchant_id, kind, url, access_key, created_at, updated_at)
     select gen_random_uuid(), $1::uuid, 'callback', $2, $3, $4::timestamptz, $4::timestamptz
     where not exists (select from endpoints where merchant_id = $1::uuid and kind = 'callback')
     on conflict do nothing`,
    [DEMO.merchantId, url, keyring.seal(DEMO.accessKey, 'callback access key'), now],
  );
  // A sandbox that has moved to another port or name; what is known of the old address is nothing to the new one.
  await pool.query(
    `update endpoints set url = $2, failures = 0, failing_since = null, probe_at = null, updated_at = $3::timestamptz
     where merchant_id = $1::uuid and kind = 'callback' and deleted_at is null and url <> $2
       and url ~ ('^https?://[^/]+' || $4 || '$')`,
    [DEMO.merchantId, url, now, HOOK_PATH],
  );
}

/** Prices to try: in kwanzas without IVA; the merchant begins with the one in the middle. */
const PLANS = [
  { id: '00000000-0000-7000-8000-00000000b001', name: 'Banca', fee: 0, included: 50, each: 7_500 },
  { id: '00000000-0000-7000-8000-00000000b002', name: 'Loja', fee: 1_500_000, included: 500, each: 5_000 },
  { id: '00000000-0000-7000-8000-00000000b003', name: 'Mercado', fee: 9_000_000, included: 5_000, each: 2_500 },
] as const;

/** What was chosen since is the merchant's choice. */
async function seedBilling(pool: Pool, now: Date): Promise<void> {
  for (const { id, name, fee, included, each } of PLANS)
    await pool.query(
      `insert into plans (id, name, monthly_fee_minor, included_payments, payment_fee_minor, created_at)
       values ($1::uuid, $2, $3, $4, $5, $6::timestamptz) on conflict (id) do nothing`,
      [id, name, fee, included, each, now],
    );
  await pool.query(
    `with account as (
       insert into billing_accounts (id, next_month, due_at)
       select $1::uuid, to_char(month, 'YYYY-MM'), (month + interval '1 month') at time zone 'Africa/Luanda'
       from date_trunc('month', $2::timestamptz at time zone 'Africa/Luanda') month
       on conflict (id) do nothing returning id, next_month)
     insert into subscriptions (merchant_id, month, plan_id, created_at)
     select id, next_month, $3::uuid, $2::timestamptz from account`,
    [DEMO.merchantId, now, PLANS[1].id],
  );
}

const FIRST_UNITS = 1_000;

/** SMS units, once: those that were used are not given again. */
async function seedUnits(pool: Pool, now: Date): Promise<void> {
  await pool.query(
    `with account as (
       insert into sms_accounts (merchant_id, balance, updated_at) values ($1::uuid, $2, $3::timestamptz)
       on conflict (merchant_id) do nothing returning merchant_id, balance)
     insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, created_at)
     select gen_random_uuid(), merchant_id, 'credit', balance, balance, 'Oferta da sandbox', $3::timestamptz from account`,
    [DEMO.merchantId, FIRST_UNITS, now],
  );
}
