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
