import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { startProxiedRail, sweepUntilReceived, type ProxiedRail } from '../../../support/cashbook.ts';
import { testClock } from '../../../support/clock.ts';
import { travelUntil } from '../../../support/payments.ts';
import { createPayable, readReference } from '../../../support/ppr.ts';
import { listen } from '../../../support/listen.ts';

let app: TestApp;
let rail: ProxiedRail;
let spoiler: Spoiler;
beforeAll(async () => {
  const clock = testClock();
  rail = await startProxiedRail({ clock, gatewayUrl: () => app.url });
  spoiler = await startSpoiler(() => rail.url);
  app = await startTestApp({ clock, env: { ...rail.env, PPR_URL: spoiler.url } });
});
afterAll(async () => {
  spoiler?.stop();
});

type Spoiler = { url: string; spoil: (text: string) => string; stop(): void };

/** A proxy that rewrites the rail's answers. */
async function startSpoiler(target: () => string): Promise<Spoiler> {
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const { host: _, connection: __, 'content-length': ___, ...headers } = req.headers;
    const sent = { method: req.method ?? 'GET', headers: headers as Record<string, string> };
    const answer = await fetch(target() + req.url, body.length > 0 ? { ...sent, body } : sent);
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(spoiler.spoil(await answer.text()));
  });
  const url = await listen(server);
  return { url, spoil: (text) => text, stop: () => server.close().closeAllConnections() };
}

const payLost = async (to: any, amount: string): Promise<string> => {
  const { status, body } = await rail.pay(to, { amount, fault: 'lost' });
  expect(status).toBe(201);
  return body.payments[0].transactionId;
};
const readKept = (about: string) =>
  app.sql(`select body, outcome from inbox where rail = 'ppr' and body like $1`, [`%${about}%`]);

test.each([
  { name: 'amount', from: /"amount":"20.00"/, to: '"amount":"20,00"' },
  { name: 'time', from: /"paidAt":"[^"]*"/, to: '"paidAt":"yesterday"' },
  { name: 'currency', from: /"currency":"AOA"/, to: '"currency":"Kz"' },
  { name: 'numeric reference', from: /"reference":"0*(\d+)"/, to: '"reference":$1' },
])(
  'an entry of the payment list with an unreadable $name is kept once, and no other money is missed',
  async ({ from, to }) => {
    const made = await createPayable(app, { amount: 0, referenceType: 'Charging' });
    const ids: string[] = [];
    for (const amount of ['10.00', '20.00', '30.00']) ids.push(await payLost(made, amount));
    const second = new RegExp(`\\{[^{}]*"transactionId":"?${ids[1]}.*?(?=\\{[^{}]*"transactionId"|$)`);
    spoiler.spoil = (text) => text.replace(second, (entry) => entry.replace(from, to));
    await sweepUntilReceived(app, made.reference, 40);
    const kept = await travelUntil(
      app,
      async () => {
        const rows = await readKept(String(ids[1]));
        return rows.length > 0 ? rows : null;
      },
      'the unreadable one being kept',
    );
    expect(kept).toHaveLength(1);
    expect(kept[0].outcome).toBe('unreadable');
    // The stored text must show the operator who paid.
    expect(kept[0].body).toContain(String(Number(made.reference)));
    // The next read of the payment list does not return this entry again.
    await payLost(made, '5.00');
    await sweepUntilReceived(app, made.reference, 45);
    expect(await readKept(String(ids[1]))).toHaveLength(1);
    spoiler.spoil = (text) => text;
    // A sync records the payment as soon as its entry is readable.
    await app.call(`/api/payments/${made.internalId}/sync`, { method: 'POST' });
    expect(await readReference(app, made.reference)).toMatchObject({ amountPaid: 65 });
  },
);
