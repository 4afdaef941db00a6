// One JSON line a request, and its figures for /metrics: by route pattern, never by address, token or phone.
import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { pino, type Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { clientAddress } from './limits.ts';

/** The log of a node; secrets that slip into an object are masked. */
export function createLog(level: string): Logger {
  const paths = [
    'authorization',
    'password',
    'client_secret',
    'accessKey',
    'nib',
    'documentNumber',
    'phone',
    'phoneNumber',
  ];
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: paths.flatMap((name) => [name, `*.${name}`]), censor: '…' },
    serializers: { err: serializeError },
  };
  return pino(options, pino.destination(GATHERED));
}

/** Lines go out together, a tenth of a second late at most: one write for each costs a busy node a twentieth of its time. */
const GATHERED = { dest: 1, minLength: 8_192, periodicFlush: 100, sync: false };

/** Drivers put rows into their errors (details, hints): only the first line, which says what, and where are kept. */
function serializeError(error: unknown): object {
  const { name, message, code, stack, cause } = error as Error & { code?: unknown };
  const frames = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8)
    .join('\n');
  return {
    type: name,
    message: maskDigits(String(message).split('\n')[0] ?? ''),
    ...(code !== undefined && { code }),
    stack: frames,
    ...(cause ? { cause: serializeError(cause) } : {}),
  };
}

/** Phones inside free text keep their last three digits only. */
function maskDigits(text: string): string {
  return text.replace(/(?:\+?244)?9\d{5}(\d{3})\b/g, '…$1');
}

export type Metrics = { registry: Registry; observe(ctx: Context, ms: number): void };

export function createMetrics(openStreams: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'balcao_http_request_seconds',
    help: 'Time to answer, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 100],
    registers: [registry],
  });
  new Gauge({
    name: 'balcao_open_streams',
    help: 'Checkout streams open on this node',
    registers: [registry],
    collect() {
      this.set(openStreams());
    },
  });
  return {
    registry,
    observe(ctx, ms) {
      durations.labels(ctx.method, routeOf(ctx), String(ctx.res.statusCode)).observe(ms / 1000);
    },
  };
}

function routeOf(ctx: Context): string {
  return ctx.state['route'] ?? ctx['_matchedRoute'] ?? '(none)';
}

/** Names the request (the caller's X-Request-Id if it is sane), then logs and measures it when it is over. */
export function logRequests(log: Logger, metrics: Metrics): Middleware {
  // These lines hold what is named here and nothing else: there is nothing to mask.
  const lines = log.child({}, { redact: [] });
  return async (ctx, next) => {
    const started = performance.now();
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    const address = clientAddress(ctx);
    ctx.res.once('close', () => {
      const ms = performance.now() - started;
      metrics.observe(ctx, ms);
      lines.info({
        requestId,
        method: ctx.method,
        route: routeOf(ctx),
        status: ctx.res.statusCode,
        ms: Math.round(ms * 10) / 10,
        merchantId: ctx.state['merchantId'],
        address,
        ...(!ctx.res.writableFinished && { aborted: true }),
      });
    });
    await next();
  };
}
