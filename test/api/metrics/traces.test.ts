// Traces of requests and deliveries.
import { randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { openCallbackFixture, sell, untilDelivery } from '../../support/callbacks.ts';
import { create, purchase } from '../../support/payments.ts';
import { RECEIVER_ENV, startReceiver } from '../../support/receiver.ts';
import { listFiles, readText } from '../../support/source.ts';

let collector: Awaited<ReturnType<typeof startCollector>>;
let app: TestApp;
let written = '';
const log = new PassThrough();
log.on('data', (chunk: Buffer) => (written += chunk));

beforeAll(async () => {
  collector = await startCollector();
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'x-team=acme%20pay', OTEL_SERVICE_NAME: 'till', NODE_NAME: 'node-1' };
  app = await startTestApp({ env: { ...RECEIVER_ENV, ...collector.env, ...headers }, logTo: log });
});

const newParent = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });

describe('the trace of a request', () => {
  test("has spans of the request's SQL statements and rail call, below the span of the caller", async () => {
    const { traceId, spanId } = newParent();
    const traceparent = `00-${traceId}-${spanId}-01`;
    const body = purchase('923000081');
    const { json, headers } = await app.call('/api/payments', { body, headers: { traceparent } });
    const found = await collector.untilTraced(traceId, [
      'POST /api/payments',
      'create_payments',
      'rail gpo send',
      'POST',
    ]);
    const byName = (name: string) => found.find((span) => span.name === name);
    const request = byName('POST /api/payments');
    expect(request).toMatchObject({
      parentSpanId: spanId,
      values: {
        'http.route': '/api/payments',
        'http.response.status_code': 201,
        'balcao.request_id': headers.get('x-request-id'),
        'balcao.merchant_id': json.merchantId,
      },
      resource: { 'service.name': 'till', 'service.instance.id': 'node-1' },
    });
    expect(byName('create_payments')).toMatchObject({ parentSpanId: request?.spanId });
    const railCall = byName('rail gpo send');
    expect(railCall).toMatchObject({ parentSpanId: request?.spanId, values: { 'balcao.result': 'pending' } });
    // The call has two spans: one of the client and one of the simulator, which runs on the same node.
    expect(byName('POST')).toMatchObject({ parentSpanId: railCall?.spanId, values: { 'server.address': '127.0.0.1' } });
    expect(found.filter((span) => span.parentSpanId === byName('POST')?.spanId)).toHaveLength(1);
    expect(collector.requests[0]?.headers['x-team']).toBe('acme pay');
    expect(collector.requests[0]?.path).toBe('/v1/traces');
  });

  test('has the same trace id in the log', async () => {
    const { traceId, spanId } = newParent();
    const headers = { traceparent: `00-${traceId}-${spanId}-01` };
    await app.call('/api/payments', { headers });
    const line = await until(() => written.split('\n').find((text) => text.includes(traceId)), 'a line of the trace');
    expect(JSON.parse(line)).toMatchObject({ traceId, route: '/api/payments' });
  });

  test.each([
    ['nonsense', 'no header of ours'],
    ['zeros', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`],
    ['a version that is none', `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`],
  ])('starts with a new id if the parent header is %s', async (_what, traceparent) => {
    const { headers } = await app.call('/api/terminals', { headers: { traceparent } });
    const id = headers.get('x-request-id');
    const span = await until(
      () => collector.spans().find(({ values }) => values['balcao.request_id'] === id),
      'the request’s span',
    );
    expect(span.parentSpanId).toBeUndefined();
    expect(span.traceId).not.toMatch(/^(0+|1+)$/);
  });

  test('is not exported if the trace header of the caller excludes it', async () => {
    const { traceId, spanId } = newParent();
    await app.call('/api/payments', { headers: { traceparent: `00-${traceId}-${spanId}-00` } });
    const next = newParent();
    await app.call('/api/payments', { headers: { traceparent: `00-${next.traceId}-${next.spanId}-01` } });
    await collector.untilTraced(next.traceId, ['GET /api/payments']);
    expect(collector.spans().filter((span) => span.traceId === traceId)).toEqual([]);
  });
});

test('the trace of a delivery continues at the receiver through the trace header of the delivery', async () => {
  const receiver = await startReceiver({});
  const shop = await openCallbackFixture(app, receiver.url);
  await sell(app, shop);
  await untilDelivery(shop, 'Delivered');
  const [, traceId = '', spanId] = receiver.requests[0]?.headers['traceparent']?.toString().split('-') ?? [];
  const found = await collector.untilTraced(traceId, ['job deliveries', 'POST']);
  const job = found.find(({ name }) => name === 'job deliveries');
  expect(job?.values).toMatchObject({ 'balcao.delivery': 'callback.ppr', 'balcao.result': 'delivered' });
  expect(found.find((span) => span.spanId === spanId)).toMatchObject({ name: 'POST', parentSpanId: job?.spanId });
});

test('traces contain no health probes, no polls for due work and no secrets', async () => {
  const metadata = { paymentMethod: 'onetimepurchase', phoneNumber: '923777081', custom: { at: 'shelf-8' } };
  const { clientToken } = await create(app, purchase('923777081', { metadata }));
  await app.call(`/checkout/${clientToken}/state?key=shelf-9`, { token: null });
  await app.call('/readyz', { token: null });
  await app.clock.advance(3_000);
  const last = newParent();
  await app.call('/api/payments', { headers: { traceparent: `00-${last.traceId}-${last.spanId}-01` } });
  await collector.untilTraced(last.traceId, ['GET /api/payments']);
  const text = JSON.stringify(collector.spans());
  for (const secret of [clientToken, await app.token(), 'demo-secret', '923777081', 'shelf-8', 'shelf-9'])
    expect(text).not.toContain(secret);
  const names = collector.spans().map(({ name }) => name);
  for (const name of ['GET /readyz', 'watch_due', 'due_endpoints']) expect(names).not.toContain(name);
});

test('only one file imports OpenTelemetry, and a node loads that file only if tracing is on', () => {
  const sources = listFiles('server/**/*.ts').map((path) => ({ path, text: readText(path) }));
  const using = sources.filter(({ text }) => text.includes("from '@opentelemetry/"));
  expect(using.map(({ path }) => path)).toEqual(['server/metrics/otlp.ts']);
  expect(sources.filter(({ text }) => /from '[^']*\/otlp\.ts'/.test(text))).toEqual([]);
});

test('a node without a trace collector sends no trace header', async () => {
  await app.stop();
  const plain = await startTestApp({ env: RECEIVER_ENV });
  const receiver = await startReceiver({});
  const shop = await openCallbackFixture(plain, receiver.url);
  await sell(plain, shop);
  await untilDelivery(shop, 'Delivered');
  expect(receiver.requests[0]?.headers).not.toHaveProperty('traceparent');
});

// A trace collector (OTLP over HTTP, JSON) that keeps every received span.
type CollectedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  values: Record<string, unknown>;
  resource: Record<string, unknown>;
};

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type Attributes = { key: string; value: Value }[];
type Batch = {
  resource: { attributes: Attributes };
  scopeSpans: { spans: (CollectedSpan & { attributes: Attributes })[] }[];
};

/** Environment variables that make a node export its spans to the collector. */
async function startCollector() {
  const receiver = await startReceiver({ answer: { status: 200, body: {} } });
  const spans = (): CollectedSpan[] =>
    receiver.requests.flatMap(({ json }) =>
      (json.resourceSpans as Batch[]).flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap((scope) =>
          scope.spans.map(({ attributes, ...span }) => {
            return { ...span, values: readValues(attributes), resource: readValues(resource.attributes) };
          }),
        ),
      ),
    );
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    requests: receiver.requests,
    spans,
    /** Waits until the trace has a span of each name. Resolves with all spans of the trace. */
    untilTraced: (traceId: string, names: string[]) =>
      until(
        () => {
          const found = spans().filter((span) => span.traceId === traceId);
          return names.every((name) => found.some((span) => span.name === name)) ? found : null;
        },
        `spans ${names.join(', ')} of ${traceId}`,
      ),
  };
}

function readValues(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue,
    ]),
  );
}
