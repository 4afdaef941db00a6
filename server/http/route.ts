// Declares endpoints. One declaration defines access (RFC 6750), limits, validation, responses and the OpenAPI entry.
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Scope } from '../../shared/scopes.ts';
import { languageOfMessages, Problem, viewFaults, type Answer, type Fault } from './problem.ts';
import { MAX_QUERY_NAMES, RESOURCE_MAX_BYTES, PUBLIC_MAX_BYTES, readBody, refuseManyPairs } from './body.ts';
import type { Dialect } from '../exports/csv.ts';
import type { CsvExport, Exports } from '../exports/send.ts';
import { oneOf } from './fields.ts';
import { readKeyed, type Keyed } from './idempotency.ts';
import { clientAddress, consumeLimit, type Bucket, type Limits } from './limits.ts';
import { refuseWhenOverloaded, type Lag } from './overload.ts';
import { validate } from './validate.ts';

/**
 * The allowed callers of a route:
 * - `public`: every caller.
 * - `bearer`: a caller whose access token has the scope.
 * - `user`: a signed-in person, for their own data.
 * - `clientToken`: a payer with the payment's client token in the path.
 */
export type Access = { kind: 'public' } | { kind: 'bearer'; scope: Scope } | { kind: 'user' } | { kind: 'clientToken' };

export function needsToken({ kind }: Access): boolean {
  return kind === 'bearer' || kind === 'user';
}

export type Request<P, Q, B> = {
  params: P;
  query: Q;
  body: B;
  /** The caller of the request. Set only for `bearer` and `user` access. */
  caller: Caller;
  /** The Idempotency-Key with the request's fingerprint. Null without the header. */
  keyed: Keyed | null;
  /** The header `If-Match` of a `tagged` route. Null without the header. */
  ifMatch: string | null;
  address: string;
  ctx: Context;
  /**
   * Verifies the token again during a long response.
   * @throws Problem invalid_token after it was revoked or has expired
   */
  recheck(): Promise<Caller>;
};

type AnswerDoc = {
  description: string;
  schema?: z.ZodType;
  contentType?: string;
  /** Other media types that a caller may request. */
  also?: string[];
  /** The schema of the JSON form, which a caller receives with `Accept: application/json`. */
  json?: z.ZodType;
  headers?: Record<string, string>;
};

type RouteOptions<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Name extends string> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path in OpenAPI form: `/api/payments/{paymentId}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** The rate-limit bucket. Null: no limit. */
  bucket: Bucket | null;
  /** True if the route mails an address of the caller's choice. Then the bucket `mail` counts the request too. */
  mails?: true;
  params?: P;
  query?: Q;
  body?: B;
  /** Returns faults between fields of the raw body, in addition to the faults of the schema. */
  checkBody?(input: unknown): Fault[];
  /**
   * Checks that need the clock or the database. Their faults are returned together with other faults.
   * If only these checks find faults, a stored response takes precedence.
   */
  checkAlso?(input: unknown, caller: Caller, found: Fault[]): Promise<Fault[]>;
  /** The announced removal of the operation (docs/versioning.md). */
  deprecated?: Deprecation;
  /** Returns faults of a query that need the database. */
  checkQuery?(query: z.output<Q>, caller: Caller): Promise<Fault[]>;
  /** The most faults in a response, if 100 are too few. */
  maxFaults?: number;
  /** The largest body in bytes, if the default for one resource is too small. */
  maxBytes?: number;
  /** True if even an overloaded node serves the route: its status, and rail notifications of money. */
  isUrgent?: boolean;
  /** True if the body may also be application/x-www-form-urlencoded. */
  acceptsForm?: boolean;
  /** True if `run` reads the raw bytes of the body. */
  readsRawBody?: boolean;
  /**
   * True for a GET with an effect, which only a person may cause.
   * HEAD returns 405, and a browser's prefetch is refused.
   */
  changesState?: boolean;
  /** True if the response is an endless stream. HEAD returns 405, because it could not close the stream. */
  isStream?: boolean;
  idempotent?: boolean;
  /** True if responses have an `ETag` and changes honour `If-Match`, because several people may edit the resource. */
  tagged?: boolean;
  /** The `Prefer` values that the route honours (RFC 7240), for the OpenAPI document. */
  prefers?: string;
  example?: object;
  /** Further refusals of the route, by status, for the OpenAPI document. */
  refusals?: Record<number, string>;
  /** True if browsers receive refusals as pages. */
  refusesByPage?: boolean;
  /** True if the route is not part of the published API (pages). */
  isHidden?: boolean;
  /** The body's schema in the OpenAPI document, if `run` reads or checks the body itself. */
  bodyDoc?: z.ZodType;
  /** Builds refusals in another form than problem+json (OAuth). */
  refuse?(problem: Problem): Answer;
  answers: Record<number, AnswerDoc>;
  /** Exports the whole list as CSV, for `Accept: text/csv` or a path that ends in `.csv`. */
  csv?: CsvExport<Name, Pick<Request<z.output<P>, z.output<Q>, undefined>, 'params' | 'query' | 'caller'>>;
  run(request: Request<z.output<P>, z.output<Q>, z.output<B>>): Promise<Answer> | Answer;
};

/** `since`: the day of the announcement. `sunset`: the day of the removal. `link`: the URL of the instructions. */
export type Deprecation = { since: string; sunset: string; link: string };

export type Route = RouteOptions<z.ZodType, z.ZodType, z.ZodType, string>;

/** Declares an endpoint. The schemas of `params`, `query` and `body` give `run` its types. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Name extends string>(
  options: RouteOptions<P, Q, B, Name>,
): Route {
  const declared = options as unknown as Route;
  if (!declared.csv) return declared;
  return { ...declared, query: ((declared.query as z.ZodObject | undefined) ?? z.object({})).safeExtend(csvQuery) };
}

/** The query parameter that each exported list has in addition to its own. */
const csvQuery = {
  dialect: oneOf(['excel', 'rfc4180'] satisfies Dialect[]).describe(
    'For text/csv only. excel (default): words of `Accept-Language`, UTF-8 with BOM, `;`, decimal comma, times of ' +
      'Luanda. rfc4180: English titles, values of the API, comma, decimal point, ISO 8601, no BOM',
  ),
};

function wantsCsv(ctx: Context): boolean {
  ctx.vary('Accept');
  return ctx.accepts('application/json', 'text/csv') === 'text/csv';
}

export type RequestServices = { verify: Verify; limits: Limits; exports: Exports; lag: Lag };

export function maxBytesOf({ access, maxBytes }: Route): number {
  return maxBytes ?? (needsToken(access) ? RESOURCE_MAX_BYTES : PUBLIC_MAX_BYTES);
}

/** Routes requests to the declared routes. The router's `allowedMethods()` handles OPTIONS and other methods (405). */
export function createRouter(routes: readonly Route[], services: RequestServices): Router {
  const router = new Router({ sensitive: true });
  for (const declared of routes) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    // The path with `.csv` is registered first, because `{id}` would match the ending too.
    if (declared.csv) router.register(`${path}.csv`, [declared.method], serveRoute(declared, services, true));
    const layer = router.register(path, [declared.method], serveRoute(declared, services));
    // The router handles HEAD like GET. Without HEAD in `methods`, it returns 405, and Allow omits HEAD.
    if (declared.changesState || declared.isStream) layer.methods = layer.methods.filter((method) => method !== 'HEAD');
  }
  return router;
}

/** Serves one declared route. @param isFile true if the path ends in `.csv`: the response is a file */
function serveRoute(declared: Route, { verify, limits, exports, lag }: RequestServices, isFile = false) {
  const { access, csv } = declared;
  return async (ctx: Context): Promise<void> => {
    ctx.state['route'] = declared.path;
    ctx.state['maxFaults'] = declared.maxFaults;
    if (declared.deprecated) announceEnd(ctx, declared.deprecated);
    if (!declared.isUrgent) refuseWhenOverloaded(lag);
    try {
      await serve(ctx);
    } catch (error) {
      if (!(error instanceof Problem) || !declared.refuse) throw error;
      writeAnswer(ctx, declared.refuse(error));
    }
  };
  async function serve(ctx: Context): Promise<void> {
    const address = clientAddress(ctx);
    let caller: Caller | undefined;
    if (needsToken(access)) {
      caller = await verifyBearer(ctx, verify);
      ctx.state['merchantId'] = caller.merchantId;
      ctx.state['clientId'] = caller.clientId;
      await admit(declared, caller, limits, ctx);
    } else {
      await countCall(declared, address, { who: address }, limits, ctx);
    }
    if (declared.changesState) refusePrefetch(ctx);
    // A status route reads no query, so that a load balancer's probe stays cheap.
    if (!declared.isUrgent) refuseManyPairs(ctx.querystring, MAX_QUERY_NAMES, '/query');
    const body =
      declared.method === 'GET' || declared.readsRawBody
        ? undefined
        : await readBody(ctx, declared.acceptsForm === true, maxBytesOf(declared));
    const sent = { params: ctx['params'], query: declared.isUrgent ? {} : ctx.query, body };
    const request = { ...(await validate(declared, sent, caller as Caller)), caller: caller as Caller };
    if (csv && (isFile || wantsCsv(ctx))) {
      const { dialect = 'excel' } = request.query as { dialect?: Dialect };
      return exports.sendCsv(ctx, { ...csv, rows: csv.rows(request), dialect, merchantId: request.caller.merchantId });
    }
    const answer = await declared.run({
      ...request,
      keyed: declared.idempotent ? readKeyed(ctx) : null,
      ifMatch: declared.tagged ? ctx.get('if-match') || null : null,
      address,
      ctx,
      recheck: () => verifyBearer(ctx, verify),
    });
    if (answer.status !== 0) writeAnswer(ctx, answer);
  }
}

/**
 * Refuses a browser's prefetch of a GET with an effect. Browsers announce a prefetch in one of these headers.
 * @throws Problem prefetch_refused
 */
function refusePrefetch(ctx: Context): void {
  const purposes = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].map((name) => ctx.get(name)).join();
  if (/(^|[\s,;])(prefetch|prerender|preview)($|[\s,;])/i.test(purposes)) throw new Problem('prefetch_refused');
}

/** Sets the headers of a deprecated operation (RFC 9745, RFC 8594), on refusals too. */
function announceEnd(ctx: Context, { since, sunset, link }: Deprecation): void {
  ctx.set({ Deprecation: `@${Date.parse(since) / 1_000}`, Sunset: new Date(sunset).toUTCString() });
  ctx.append('Link', `<${link}>; rel="deprecation"; type="text/html"`);
}

/** The rate-limit bucket, the owner and the points of a counted call. Default: the route's bucket, one point. */
type Counted = { bucket?: Bucket; who: string; points?: number };

/**
 * Counts the call of a known caller, by default for the merchant, and then checks access.
 * @throws Problem too_many_requests, insufficient_scope, user_required
 */
export async function admit(
  declared: Route,
  caller: Caller,
  limits: Limits,
  ctx: Context,
  counted: Counted = { who: caller.merchantId || String(caller.userId) },
): Promise<void> {
  const { access } = declared;
  // Mails count per person, because a person may belong to several merchants.
  await countCall(declared, caller.userId ?? caller.merchantId, counted, limits, ctx);
  if (access.kind === 'user' && !caller.userId) throw new Problem('user_required');
  if (access.kind !== 'bearer' || caller.scopes.has(access.scope)) return;
  throw new Problem('insufficient_scope', {
    headers: { 'WWW-Authenticate': `Bearer realm="balcao", error="insufficient_scope", scope="${access.scope}"` },
  });
}

/** Counts a call in its rate-limit buckets. The response's headers describe the bucket that is counted last. */
async function countCall({ bucket, mails }: Route, mailer: string, counted: Counted, limits: Limits, ctx: Context) {
  if (mails) await consumeLimit(limits, 'mail', mailer, ctx);
  if (bucket) await consumeLimit(limits, counted.bucket ?? bucket, counted.who, ctx, counted.points);
}

/** Adds the field `warnings` to a JSON response. The middleware of the application notes them. */
function warn(ctx: Context, warnings: Fault[], body: Answer['body']): Answer['body'] {
  ctx.state['warnings'] = warnings;
  const shown = `"warnings":${JSON.stringify(viewFaults(warnings, languageOfMessages(ctx)))}}`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.replace(/\}$/, text === '{}' ? shown : `,${shown}`);
}

function writeAnswer(ctx: Context, answer: Answer): void {
  const { status, type = 'application/json', headers = {}, warnings = [] } = answer;
  const body = warnings.length > 0 ? warn(ctx, warnings, answer.body) : (answer.body ?? null);
  ctx.set(headers);
  if (!ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-store');
  ctx.body = typeof body === 'object' && body && !Buffer.isBuffer(body) ? JSON.stringify(body) : body;
  ctx.status = status;
  if (body !== null) ctx.type = type;
}

/** The caller of a request. The caller's resources belong to `merchantId`. */
export type Caller = {
  /** The id of the caller's merchant. A person without a merchant has an empty text here, and no scopes. */
  merchantId: string;
  clientId: string;
  /** The signed-in person. Null for an API client of the merchant. */
  userId: string | null;
  /** The session of a person's token. Null for an API client. */
  sessionId: string | null;
  scopes: ReadonlySet<Scope>;
};

/** Returns the caller of a token. Null if the token is forged or expired, or its client is revoked. */
export type Verify = (token: string) => Promise<Caller | null>;

/** Verifies the bearer token. @throws Problem invalid_token, with the challenge of RFC 6750 §3 */
async function verifyBearer(ctx: Context, verify: Verify): Promise<Caller> {
  const header = ctx.get('authorization');
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
  const caller = token ? await verify(token) : null;
  if (caller) return caller;
  const reason = header ? ', error="invalid_token"' : '';
  throw new Problem('invalid_token', { headers: { 'WWW-Authenticate': `Bearer realm="balcao"${reason}` } });
}
