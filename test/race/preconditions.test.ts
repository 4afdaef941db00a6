// Two who change the same thing at once, on two nodes, each having seen it as it was: one does, the other is told.
import { expect, test } from 'vitest';
import { DEMO } from '../../sandbox/seed.ts';
import { startTestApp } from '../support/app.ts';
import { RECEIVER_ENV } from '../support/receiver.ts';

const app = await startTestApp({ env: RECEIVER_ENV });
const twin = await app.startTwin();

const URL = 'http://127.0.0.1:9/';

test.each(['merchant', 'webhook'])('a %s is changed by one of them', async (what) => {
  const { merchantId } = DEMO;
  const isMerchant = what === 'merchant';
  const made = isMerchant ? null : (await app.call('/api/webhooks', { body: { url: URL } })).json;
  const path = made ? `/api/webhooks/${made.id}` : `/api/merchants/${merchantId}`;
  for (let round = 0; round < 10; round++) {
    const etag = (await app.call(path)).headers.get('etag')!;
    const sent = await Promise.all(
      [app, twin, app, twin].map(async (node, nth) => {
        const text = `${round}-${nth}`;
        const body = isMerchant ? { name: text } : { url: URL, description: text };
        const { status } = await node.call(path, { method: 'PUT', body, headers: { 'if-match': etag } });
        return { status, text };
      }),
    );
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
    const { json } = await app.call(path);
    expect(json[isMerchant ? 'name' : 'description']).toBe(sent.find(({ status }) => status === 200)?.text);
  }
});
