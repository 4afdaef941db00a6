// What the SMS part of the bench plays on: a gateway and a database of its own, a rail, and messages to send.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../server/database/embedded/start.ts';
import { DEMO } from '../sandbox/seed.ts';
import type { Child } from './child.ts';
import { fetchToken, GATEWAY, gatewayEnv, untilReady, type Stage } from './stage.ts';

export type Scene = {
  databaseUrl: string;
  database: pg.Pool;
  url: string;
  token: string;
  carrier: Child;
  railUrl: string;
  sender: Child;
};

/** Nothing else is due there. */
export async function openScene(stage: Stage): Promise<{ scene: Scene; close(): Promise<void> }> {
  await stage.database.query('create database sms');
  const databaseUrl = stage.databaseUrl.replace(/\/[^/]*$/, '/sms');
  const carrier = stage.start('bench/processes/carrier.ts');
  const sender = stage.start('bench/processes/sender.ts');
  const railUrl = await carrier.ask<string>('listen');
  const port = await freePort();
  const env = gatewayEnv({ databaseUrl, dataDir: '.data', port, rail: stage.rail });
  const sms = { SMS_URL: railUrl, SMS_KEY: 'the key of the bench and its carrier', SMS_LOW_BALANCE: '0' };
  const gateway = stage.start(GATEWAY, { env: { ...env, ...sms } });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(gateway, url);
  const database = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  await database.query(CREDIT, [DEMO.merchantId]);
  const scene = { databaseUrl, database, url, token: await fetchToken(url), carrier, railUrl, sender };
  const close = async () => {
    await Promise.all([gateway, carrier, sender].map((child) => child.stop()));
    await database.end();
  };
  return { scene, close };
}

const CREDIT = `
with account as (update sms_accounts set balance = balance + 1000000000 where merchant_id = $1 returning *)
insert into sms_ledger (id, merchant_id, kind, quantity, balance_after, description, created_at)
select gen_random_uuid(), merchant_id, 'credit', 1000000000, balance, 'bench', updated_at from account`;

/** Until the rail has taken every message; what would be asked about them later is left out. */
export async function untilSent({ database }: Scene): Promise<void> {
  for (;;) {
    const { rowCount } = await database.query(
      `select from sms_messages where status = 'Pending' and due_at is not null limit 1`,
    );
    if (!rowCount) break;
    await pause(5);
  }
  await database.query(`update sms_messages set due_at = null where status = 'Sent' and due_at is not null`);
}

export const TEXT = 'A sua encomenda chegou. Pode levantar hoje.';
export const SCHEDULE = '/api/Envio/agendarSms';

export function phoneOf(nth: number): string {
  return `+244${923_000_000 + nth}`;
}

/** For the day after tomorrow. */
export function writeSchedule(phone: string): string {
  const [ano, mes, dia] = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10).split('-').map(Number);
  return JSON.stringify({ numerosDestino: [phone], conteudo: TEXT, dia, mes, ano, hora: 12, minuto: 0 });
}

/** Sends a request and answers the body. @throws when the answer's status is another */
export async function post({ url, token }: Pick<Scene, 'url' | 'token'>, path: string, status: number, body: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const reply = await fetch(url + path, { method: 'POST', headers, body });
  const text = await reply.text();
  if (reply.status !== status) throw new Error(`${path} answered ${reply.status}, not ${status}: ${text}`);
  return text;
}
