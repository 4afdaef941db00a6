// The log of a node, and one JSON line a request: by route pattern, never by path, token or phone.
import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config.ts';
import { currentTraceId, inSpan, noteInSpan } from '../metrics/span.ts';
import { clientAddress } from './limits.ts';
import type { Metrics } from '../metrics/registry.ts';

/** The log of a node. */
export function createLog(config: LogConfig): Logger {
  return pino(logOptions(config), pino.destination(GATHERED));
}

type LogConfig = Pick<Config, 'LOG_LEVEL' | 'NODE_NAME'>;

/** Each line says which node and process it is of, and which trace, where there is one; secrets that slip into an object are masked. */
export function logOptions({ LOG_LEVEL: level, NODE_NAME: node }: LogConfig): LoggerOptions {
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
  return {
    level,
    base: { node, pid: process.pid },
    mixin() {
      const traceId = currentTraceId();
      return traceId ? { traceId } : {};
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: paths.flatMap((name) => [name, `*.${name}`]), censor: '…' },
    serializers: { err: serializeError },
  };
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

/** In the log and the metrics alone, as proxies write it: the caller hung up before its request was complete. */
const CALLER_GONE = 499;

/** Names the request (the caller's X-Request-Id if it is sane), then logs and measures it when it is over. */
export function logRequests(log: Logger, metrics: Metrics): Middleware {
  // These lines have no free text, so there is nothing to mask.
  const lines = log.child({}, { redact: [] });
  const logWhenOver = (ctx: Context, requestId: string) => {
    const started = performance.now();
    const address = clientAddress(ctx);
    const traceId = currentTraceId();
    ctx.res.once('close', () => {
      if (!ctx.res.headersSent && !ctx.req.complete) ctx.res.statusCode = CALLER_GONE;
      const ms = performance.now() - started;
      const request = { method: ctx.method, route: routeOf(ctx), status: ctx.res.statusCode };
      metrics.observe(request, ms);
      lines.info({
        requestId,
        ...(traceId && { traceId }),
        ...request,
        ms: Math.round(ms * 10) / 10,
        merchantId: ctx.state['merchantId'],
        address,
        ...(!ctx.res.writableFinished && { aborted: true }),
      });
    });
  };
  return (ctx, next) => {
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    return traceRequest(ctx, async () => {
      logWhenOver(ctx, requestId);
      await next();
    });
  };
}

/** The pattern of the path. The path itself may hold a token. */
function routeOf(ctx: Context): string {
  return ctx.state['route'] ?? ctx['_matchedRoute'] ?? '(none)';
}

/** Why a request failed, by the number that its answer carries. */
export function logFailure(log: Logger, error: unknown, ctx: Context): void {
  log.error({ err: error, requestId: ctx.state['requestId'], route: ctx.state['route'] }, 'request failed');
}

/** Balancers ask these each second: they would be most of all traces. */
const UNTRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

function traceRequest(ctx: Context, work: () => Promise<void>): Promise<void> {
  if (UNTRACED.has(ctx.path)) return work();
  const values = { 'http.request.method': ctx.method, 'balcao.request_id': ctx.state['requestId'] as string };
  return inSpan({ name: ctx.method, kind: 'server', values, parent: ctx.get('traceparent') }, async () => {
    await work();
    const about = { 'http.route': routeOf(ctx), 'http.response.status_code': ctx.status };
    noteInSpan({ ...about, 'balcao.merchant_id': ctx.state['merchantId'] }, `${ctx.method} ${routeOf(ctx)}`);
  });
}
