// A hundred merchants with an endpoint each and a QR code that is paid again and again.
import { randomBytes, randomUUID } from 'node:crypto';
import { hashSecret } from '../server/oauth/clients.ts';
import { SCOPES } from '../shared/scopes.ts';
import { writeMethodRequest } from './sample.ts';
import type { Stage } from './stage.ts';

export type Merchant = { id: string; path: string; attemptId: string; paymentId: string };

/** Each with its own token, its endpoint at a path of `sinkUrl`, and a code of its own. */
export async function addMerchants(
  stage: Pick<Stage, 'url' | 'database'>,
  sinkUrl: string,
  count: number,
): Promise<Merchant[]> {
  const merchants: Merchant[] = [];
  for (let nth = 0; nth < count; nth++) merchants.push(await addMerchant(stage, sinkUrl, nth));
  return merchants;
}

async function addMerchant(
  { url, database }: Pick<Stage, 'url' | 'database'>,
  sinkUrl: string,
  nth: number,
): Promise<Merchant> {
  const id = randomUUID();
  const [clientId, secret] = [`bench-${nth}-${id.slice(0, 8)}`, randomBytes(32).toString('base64url')];
  await database.query(
    `insert into merchants (id, name, allowed_origins, return_origins, gpo_merchant_ids, gpo_pos_ids, created_at)
     values ($1, 'Bench', '{}', '{}', '{demo-merchant}', '{demo-pos}', now())`,
    [id],
  );
  await database.query(
    `insert into clients (id, merchant_id, name, secret_hash, scopes, created_at) values ($1, $2, 'bench', $3, $4, now())`,
    [clientId, id, hashSecret(secret), SCOPES],
  );
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const issued = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const path = `/m${nth}`;
  const endpoint = JSON.stringify({ url: sinkUrl + path, accessKey: 'the-key-of-the-bench' });
  const set = await fetch(`${url}/api/merchants/${id}/callback`, { method: 'PUT', headers, body: endpoint });
  if (set.status !== 200) throw new Error(`no endpoint: ${await set.text()}`);
  const body = writeMethodRequest(3e9 + nth, { paymentMethod: 'qrcode', maxTransactions: 10_000 });
  const code = await fetch(`${url}/api/payments`, { method: 'POST', headers, body });
  const paymentId = code.headers.get('payment-id');
  if (!paymentId) throw new Error(`no code: ${await code.text()}`);
  const { rows } = await database.query<{ id: string }>('select id from attempts where payment_id = $1', [paymentId]);
  return { id, path, attemptId: rows[0]?.id ?? '', paymentId };
}
