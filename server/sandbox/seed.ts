// The sandbox's demo merchant: known credentials, so that the first payment needs no set-up (decisions §10).
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../clock.ts';

export const DEMO = {
  clientId: 'demo',
  merchantId: '00000000-0000-7000-8000-00000000de30',
  posId: 'demo-pos',
} as const;

export type SeedOptions = { pool: Pool; clock: Clock; publicUrl: string; secret: string; scopes: readonly string[] };

/** Makes the demo merchant at the first start; later starts renew only what follows from the configuration. */
export async function seedDemo({ pool, clock, publicUrl, secret, scopes }: SeedOptions): Promise<void> {
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
}
