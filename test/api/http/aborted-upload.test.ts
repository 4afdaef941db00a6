// An upload that its caller breaks off: it is logged, and is no fault of the merchant.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startTestApp, until } from '../../support/app.ts';
import { creepUntil, webframe } from '../../support/payments.ts';
import { sendRaw } from '../../support/raw.ts';

test('is logged as 499, and is not among what the merchant was refused', async () => {
  const logTo = new PassThrough();
  const lines: any[] = [];
  logTo.on('data', (chunk) => lines.push(...String(chunk).trim().split('\n').map((line) => JSON.parse(line)))); // prettier-ignore
  const app = await startTestApp({ logTo });
  const token = await app.token();
  const gone = new AbortController();
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'X-Request-Id: gone'];
  const sent = sendRaw(app.url, 'POST /api/payments', [...headers, 'Content-Length: 500'], '{"amount":', gone.signal);
  // The answer to another request shows that the node has read the earlier bytes.
  await app.call('/api/payments');
  gone.abort();
  await sent;
  const line = await until(() => lines.find(({ requestId }) => requestId === 'gone'), 'the request being logged');
  expect(line).toMatchObject({ status: 499, aborted: true, level: 30 });
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);

  const wrong = webframe({ amount: -1 });
  await app.call('/api/payments', { body: wrong });
  const list = async () => (await app.call('/api/errors')).json.data;
  await creepUntil(app, async () => (await list()).length > 0, 'the refusal being kept', 250);
  expect(await list()).toMatchObject([{ code: 'amount_out_of_range' }]);
});
