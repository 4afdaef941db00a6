// The headers of callbacks and webhooks: the document and docs/callbacks.md list each header that is sent.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWebhooks } from '../../../server/webhooks/document.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, type CallbackFixture } from '../../support/callbacks.ts';
import { ACCESS_KEY, RECEIVER_ENV, startReceiver, type Receiver } from '../../support/receiver.ts';

let app: TestApp;
let shop: CallbackFixture;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ env: RECEIVER_ENV });
  shop = await openCallbackFixture(app);
});

/** Headers of HTTP itself, and of the body that the document describes. */
const OF_HTTP = ['connection', 'content-length', 'content-type', 'host'];
/** Headers that only some operators' gateways send. */
const OPTIONAL = ['traceparent'];

function listDocumented(name: string): string[] {
  const { header } = describeWebhooks()[name]?.post?.requestParams ?? {};
  return Object.keys((header as unknown as { shape: object }).shape).map((each) => each.toLowerCase());
}

const page = readFileSync(new URL('../../../docs/callbacks.md', import.meta.url), 'utf8');
const [, table = ''] = /## The headers\n([^]*?)\n## /.exec(page) ?? [];
const inDocs = [...table.matchAll(/`([\w-]+)`(?=[^|\n]*\|[^\n]*\|[^\n]*\|\n)/g)].map(([, name = '']) =>
  name.toLowerCase(),
);

async function send(kind: 'callback' | 'webhook'): Promise<string[]> {
  const nth = receiver.requests.length;
  if (kind === 'callback') {
    const path = `/api/merchants/${shop.merchantId}/callback`;
    await shop.call(path, { method: 'PUT', body: { url: `${receiver.url}/hook`, accessKey: ACCESS_KEY } });
    expect((await shop.call('/api/callbacks/test', { body: { type: 'PPR' } })).status).toBe(200);
  } else {
    const { json } = await shop.call('/api/webhooks', {
      body: { url: `${receiver.url}/events`, types: ['payment.*'] },
    });
    expect((await shop.call(`/api/webhooks/${json.id}/test`, { method: 'POST' })).status).toBe(200);
  }
  const [request] = (await receiver.received(nth + 1)).slice(nth);
  return Object.keys(request!.headers);
}

describe('each header', () => {
  test.each([
    ['callback', 'callback.ppr'],
    ['webhook', 'payment.*'],
  ] as const)('of a %s is in the document, and each documented header is sent', async (kind, name) => {
    const sent = (await send(kind)).filter((each) => !OF_HTTP.includes(each));
    expect([...sent, ...OPTIONAL].toSorted()).toEqual(listDocumented(name).toSorted());
  });

  test('of the document is in docs/callbacks.md, and no other', () => {
    const documented = new Set([...listDocumented('callback.ppr'), ...listDocumented('payment.*'), ...OF_HTTP]);
    expect(inDocs.toSorted()).toEqual([...documented].toSorted());
  });
});
