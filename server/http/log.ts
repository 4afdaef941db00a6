// The log of a node: one JSON line for each request, with the route pattern but no path, token or phone number.
import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config.ts';
import { currentTraceId, inSpan, annotateSpan } from '../metrics/span.ts';
import { clientAddress } from './limits.ts';
import type { Metrics } from '../metrics/registry.ts';

export function createLog(config: LogConfig): Logger {
  return pino(logOptions(config), pino.destination(GATHERED));
}

type LogConfig = Pick<Config, 'LOG_LEVEL' | 'NODE_NAME'>;

/** Options of the log. Each line names its node, process and trace. Secrets in objects are masked. */
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
    mixin: () => ({ traceId: currentTraceId() }),
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: paths.flatMap((name) => [name, `*.${name}`]), censor: '…' },
    serializers: { err: serializeError },
  };
}

/** Log lines are written in batches, at most 100 ms late. One write for each line takes 5 % of a busy node's time. */
const GATHERED = { dest: 1, minLength: 8_192, periodicFlush: 100, sync: false };

/** Keeps only the first line and the stack of an error, because drivers put row values into error details. */
function serializeError(error: unknown): object {
  const { name, message, code, stack = '', cause } = error as Error & { code?: unknown };
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
  return {
    type: name,
    message: maskDigits(String(message).split('\n')[0] ?? ''),
    code,
    stack: frames.slice(0, 8).join('\n'),
    ...(cause ? { cause: serializeError(cause) } : {}),
  };
}

/** Masks phone numbers in free text, except for their last three digits. */
function maskDigits(text: string): string {
  return text.replace(/(?:\+?244)?9\d{5}(\d{3})\b/g, '…$1');
}

/** The logged status if the caller disconnects before its request is complete, the same as in proxies' logs. */
const CALLER_GONE = 499;

/**
 * Gives each request an id (a valid X-Request-Id of the caller, or a new id).
 * Logs and measures the request at its end.
 */
export function logRequests(log: Logger, metrics: Metrics): Middleware {
  // Request lines have no free text, so they need no masking.
  const lines = log.child({}, { redact: [] });
  const logWhenOver = (ctx: Context, requestId: string) => {
    const started = performance.now();
    const [address, traceId] = [clientAddress(ctx), currentTraceId()];
    ctx.res.once('close', () => {
      if (!ctx.res.headersSent && !ctx.req.complete) ctx.res.statusCode = CALLER_GONE;
      const ms = performance.now() - started;
      const request = { method: ctx.method, route: routeOf(ctx), status: ctx.res.statusCode };
      metrics.observe(request, ms);
      lines.info({
        requestId,
        traceId,
        ...request,
        ms: Math.round(ms * 10) / 10,
        merchantId: ctx.state['merchantId'],
        address,
        aborted: ctx.res.writableFinished ? undefined : true,
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

/** Returns the pattern of the request's path. The path itself may contain a token. */
function routeOf(ctx: Context): string {
  return ctx.state['route'] ?? ctx['_matchedRoute'] ?? '(none)';
}

export function logFailure(log: Logger, error: unknown, ctx: Context): void {
  log.error({ err: error, requestId: ctx.state['requestId'], route: ctx.state['route'] }, 'request failed');
}

/** Paths without a trace. Load balancers request them each second, which would fill the traces. */
const UNTRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

function traceRequest(ctx: Context, work: () => Promise<void>): Promise<void> {
  if (UNTRACED.has(ctx.path)) return work();
  const values = { 'http.request.method': ctx.method, 'balcao.request_id': ctx.state['requestId'] as string };
  return inSpan({ name: ctx.method, kind: 'server', values, parent: ctx.get('traceparent') }, async () => {
    await work();
    const about = { 'http.route': routeOf(ctx), 'http.response.status_code': ctx.status };
    annotateSpan({ ...about, 'balcao.merchant_id': ctx.state['merchantId'] }, `${ctx.method} ${routeOf(ctx)}`);
  });
}
