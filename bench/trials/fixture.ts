// The fixture of a trial: nodes on one database, a rail that decides, and a merchant that creates pushes.
import { setTimeout as pause } from 'node:timers/promises';
import type { Child } from '../kit/child.ts';
import { fetchToken, sharedEnv, startGateway, type Gateway } from '../kit/gateway.ts';
import { openConnections } from '../kit/http.ts';
import { decide, startRail, writePurchaseNotice, type Purchase, type Rail } from '../kit/rail.ts';
import type { Scope } from '../kit/scope.ts';
import type { PushLoad } from './push-client.ts';

export type TrialFixture = {
  nodes: Gateway[];
  rail: Rail;
  /** The child process that creates pushes. */
  pushClient: Child;
  /** The child process that receives the webhook of each paid payment. */
  merchant: Child;
};

export type TrialOptions = { databaseUrl: string; nodes: number; perSecond: number };

export async function openTrialFixture(scope: Scope, options: TrialOptions): Promise<TrialFixture> {
  const rail = await startRail();
  scope.defer(rail.close);
  // All nodes have the same PUBLIC_URL, so each accepts the tokens of the others.
  const env = { ...sharedEnv(options.databaseUrl), PUBLIC_URL: 'http://127.0.0.1' };
  const nodes: Gateway[] = [];
  // The first node runs the migrations before the other nodes start.
  for (let nth = 0; nth < options.nodes; nth++)
    nodes.push(await startGateway(scope, { dataDir: scope.makeFolder(), rail, env }));
  const urls = nodes.map(({ url }) => url);
  rail.onPurchase = (purchase) => void decideLater(urls, purchase);
  const merchant = scope.start('bench/kit/processes/merchant.ts');
  const pushClient = scope.start('bench/trials/push-client.ts');
  const token = await fetchToken(urls[0] as string);
  await addWebhook(urls[0] as string, token, await merchant.call<string>('listen'));
  await pushClient.call('start', { urls, token, perSecond: options.perSecond } satisfies PushLoad);
  return { nodes, rail, pushClient, merchant };
}

async function addWebhook(url: string, token: string, target: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: `${target}/webhook`, types: ['payment.paid'] });
  const reply = await fetch(`${url}/api/webhooks`, { method: 'POST', headers, body });
  if (reply.status !== 201) throw new Error(`no webhook: ${await reply.text()}`);
}

const DECIDES_WITHIN_MS = 1_500;
const DECLINED_SHARE = 0.1;
const LOST_SHARE = 0.1;
const REPEATED_SHARE = 0.1;

/** Decides a purchase. The rail declines some purchases, loses some notifications and repeats others. */
async function decideLater(urls: string[], purchase: Purchase): Promise<void> {
  await pause(Math.random() * DECIDES_WITHIN_MS);
  decide(purchase, Math.random() < DECLINED_SHARE ? 'refused' : 'approved');
  if (Math.random() < LOST_SHARE) return;
  const times = Math.random() < REPEATED_SHARE ? 2 : 1;
  for (let time = 0; time < times; time++) await notify(urls, purchase);
}

/** Repeats a rail notification until a node accepts it. */
async function notify(urls: string[], purchase: Purchase): Promise<void> {
  for (let turn = Math.floor(Math.random() * urls.length); ; turn++) {
    const url = urls[turn % urls.length] as string;
    try {
      const connections = await openConnections(url, 1);
      await connections.send(writePurchaseNotice(url, purchase), 200).finally(connections.close);
      return;
    } catch {
      await pause(200 + Math.random() * 600);
    }
  }
}
