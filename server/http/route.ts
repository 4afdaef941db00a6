// One declaration an endpoint: from it come access (RFC 6750), limits, validation, the answer and the OpenAPI entry.
import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import type { Scope } from '../../shared/scopes.ts';
import { refuseLate, type Lag } from './bounds/lag.ts';
import { refusePrefetch } from './bounds/prefetch.ts';
import { invalid, Problem, type Answer, type Fault } from './problem.ts';
import { faultsOf, parseTolerantly, ONE_MAX_BYTES, OPEN_MAX_BYTES, readBody } from './body.ts';
import type { Dialect } from '../exports/csv.ts';
import type { CsvExport, Exports } from '../exports/send.ts';
import { oneOf } from './fields.ts';
import { readKeyed, type Keyed } from './idempotency.ts';
import { findBadText } from './bounds/json.ts';
import { gatherRecords, MAX_QUERY_NAMES, refuseManyPairs } from './bounds/pairs.ts';
import { findUnknownNames, isListOrFile } from './bounds/query-names.ts';
import { clientAddress, takeFrom, type Bucket, type Limits } from './limits.ts';

/**
 * Who may call: anyone, the holder of a scope, any person who signed in (`user`, about themselves), or whoever holds the
 * payment's client token (in the path).
 */
export type Access = { kind: 'public' } | { kind: 'bearer'; scope: Scope } | { kind: 'user' } | { kind: 'clientToken' };

export function needsToken({ kind }: Access): boolean {
  return kind === 'bearer' || kind === 'user';
}

export type Request<P, Q, B> = {
  params: P;
  query: Q;
  body: B;
  /** Only behind bearer and user access. */
  caller: Caller;
  /** The Idempotency-Key with the request's fingerprint; null when none was sent. */
  keyed: Keyed | null;
  /** `If-Match`, where the route is `tagged`; null when none was sent. */
  ifMatch: string | null;
  address: string;
  ctx: Context;
  /** Who calls, asked anew: for answers that go on. @throws Problem invalid_token once they may no more */
  recheck(): Promise<Caller>;
};

type AnswerDoc = {
  description: string;
  schema?: z.ZodType;
  contentType?: string;
  /** Other media types that it comes as, where the caller asks for one. */
  also?: string[];
  /** What it is as JSON, where the caller asks for that. */
  json?: z.ZodType;
  /** Headers of its own, and what they say. */
  headers?: Record<string, string>;
};

type RouteOptions<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Name extends string> = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** OpenAPI form: `/api/payments/{paymentId}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /** null: never refused for coming too often. */
  bucket: Bucket | null;
  /** It mails an address that the caller names, so the bucket `mail` counts it too. */
  mails?: true;
  params?: P;
  query?: Q;
  body?: B;
  /** Faults between fields of the raw body, reported together with the schema's. */
  checkBody?(input: unknown): Fault[];
  /** Faults that need the clock or the database: told beside others, while alone a stored answer comes before them. */
  checkAlso?(input: unknown, caller: Caller, found: Fault[]): Promise<Fault[]>;
  /** It will go (docs/versioning.md): since when that is told, from when on it may be gone, and where it is told what to use instead. */
  deprecated?: Deprecation;
  /** Faults of a query that need the database. */
  checkQuery?(query: z.output<Q>, caller: Caller): Promise<Fault[]>;
  /** Faults that an answer names at most, where 100 are too few. */
  maxFaults?: number;
  /** The largest body, where one thing is not all that it holds. */
  maxBytes?: number;
  /** Served however busy the node is: how it is, and that money came. */
  isUrgent?: boolean;
  /** The body may also come as application/x-www-form-urlencoded. */
  acceptsForm?: boolean;
  /** `run` reads the body itself, byte for byte. */
  readsRawBody?: boolean;
  /** A GET with an effect: HEAD is 405, and nobody may ask it ahead of a person (decisions §1, §6). */
  changesState?: boolean;
  /** Goes on until somebody ends it: HEAD is 405, as nobody could read what it opens. */
  isStream?: boolean;
  /** Idempotency-Key is honoured. */
  idempotent?: boolean;
  /** It reads or changes what people edit: answers bear an `ETag`, and `If-Match` is honoured by what changes it. */
  tagged?: boolean;
  /** The `Prefer` values it honours (RFC 7240), for the document. */
  prefers?: string;
  /** An example body, for the document. */
  example?: object;
  /** Refusals of its own, by status, for the document. */
  refusals?: Record<number, string>;
  /** Refusals come as pages to those who prefer HTML. */
  refusesByPage?: boolean;
  /** Not part of the published interface (pages). */
  isHidden?: boolean;
  /** For the document only, where `run` reads the body itself. */
  bodyDoc?: z.ZodType;
  /** Answers refusals in another form than problem+json (OAuth). */
  refuse?(problem: Problem): Answer;
  answers: Record<number, AnswerDoc>;
  /** A list that is also to be had whole, as CSV: by `Accept: text/csv`, or at the same path with `.csv` behind it. */
  csv?: CsvExport<Name, Pick<Request<z.output<P>, z.output<Q>, undefined>, 'params' | 'query' | 'caller'>>;
  run(request: Request<z.output<P>, z.output<Q>, z.output<B>>): Promise<Answer> | Answer;
};

/** Days, and an address. */
export type Deprecation = { since: string; sunset: string; link: string };

export type Route = RouteOptions<z.ZodType, z.ZodType, z.ZodType, string>;

/** Declares an endpoint; the types of `params`, `query` and `body` reach `run`. */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, Name extends string>(
  options: RouteOptions<P, Q, B, Name>,
): Route {
  const declared = options as unknown as Route;
  if (!declared.csv) return declared;
  return { ...declared, query: ((declared.query as z.ZodObject | undefined) ?? z.object({})).safeExtend(csvQuery) };
}

/** The query parameter that each exported list adds to its own. */
const csvQuery = {
  dialect: oneOf(['excel', 'rfc4180'] satisfies Dialect[]).describe(
    'text/csv only. excel (default): UTF-8 with BOM, `;`, decimal comma, times of Luanda; rfc4180: comma, decimal point, ISO 8601, no BOM',
  ),
};

/** True for a request that prefers CSV to JSON. */
function wantsCsv(ctx: Context): boolean {
  ctx.vary('Accept');
  return ctx.accepts('application/json', 'text/csv') === 'text/csv';
}

/** Services that every request uses. */
export type RequestServices = { verify: Verify; limits: Limits; exports: Exports; lag: Lag };

/** The largest body that it reads. */
export function maxBytesOf({ access, maxBytes }: Route): number {
  return maxBytes ?? (needsToken(access) ? ONE_MAX_BYTES : OPEN_MAX_BYTES);
}

/** Answers one declared route; as a file by its path's ending, `.csv`. */
export function serveRoute(
  declared: Route,
  { verify, limits, exports, lag }: RequestServices,
  isFile = false,
): Middleware {
  const { access, csv } = declared;
  return async (ctx) => {
    ctx.state['route'] = declared.path;
    ctx.state['maxFaults'] = declared.maxFaults;
    if (declared.deprecated) tellEnd(ctx, declared.deprecated);
    if (!declared.isUrgent) refuseLate(lag);
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
      const counted = { bucket: declared.bucket as Bucket, who: address };
      await countCall(limits, declared, { mailer: address, counted }, ctx);
    }
    if (declared.changesState) refusePrefetch(ctx);
    // A status route reads no query, so that a balancer's probe stays cheap.
    if (!declared.isUrgent) refuseManyPairs(ctx.querystring, MAX_QUERY_NAMES, '/query');
    const body =
      declared.method === 'GET' || declared.readsRawBody
        ? undefined
        : await readBody(ctx, declared.acceptsForm === true, maxBytesOf(declared));
    const given = { params: ctx['params'], query: declared.isUrgent ? {} : ctx.query, body };
    const asked = { ...(await validate(declared, given, caller as Caller)), caller: caller as Caller };
    if (csv && (isFile || wantsCsv(ctx))) {
      const { dialect = 'excel' } = asked.query as { dialect?: Dialect };
      return exports.sendCsv(ctx, { ...csv, rows: csv.rows(asked), dialect, merchantId: asked.caller.merchantId });
    }
    const answer = await declared.run({
      ...asked,
      keyed: declared.idempotent ? readKeyed(ctx) : null,
      ifMatch: declared.tagged ? ctx.get('if-match') || null : null,
      address,
      ctx,
      recheck: () => verifyBearer(ctx, verify),
    });
    if (answer.status !== 0) writeAnswer(ctx, answer);
  }
}

/** RFC 9745 and RFC 8594: every answer of what will go says so, refusals too. */
function tellEnd(ctx: Context, { since, sunset, link }: Deprecation): void {
  ctx.set({ Deprecation: `@${Date.parse(since) / 1_000}`, Sunset: new Date(sunset).toUTCString() });
  ctx.append('Link', `<${link}>; rel="deprecation"; type="text/html"`);
}

/** Checks path, query and body together, so that one answer names every fault. A wrong path is a 404, not a fault. */
export async function validate(
  declared: Route,
  { body: input, ...given }: { params: unknown; query: Record<string, unknown>; body: unknown },
  caller: Caller,
): Promise<{ params: unknown; query: unknown; body: unknown }> {
  const params = declared.params?.safeParse(given.params);
  if (params && !params.success) throw new Problem('not_found');
  const { faults, query, body } = checkShape(declared, given.query, input);
  if (faults.length > 0) throw invalid([...faults, ...((await declared.checkAlso?.(input, caller, faults)) ?? [])]);
  const unanswerable = (await declared.checkQuery?.(query, caller)) ?? [];
  if (unanswerable.length > 0) throw invalid(unanswerable);
  return { params: params?.data, query, body };
}

/** Query and body as the schemas read them, with every fault that shows without clock and database. */
export function checkShape(
  declared: Route,
  asked: Record<string, unknown>,
  input: unknown,
): { faults: Fault[]; query: unknown; body: unknown } {
  // First, as it may see at a glance that there is too much to look at.
  const between = declared.checkBody?.(input) ?? [];
  const faults = findBadText(asked, '/query');
  const check = (schema: z.ZodType | undefined, value: unknown, prefix: string): unknown => {
    if (!schema) return value;
    const { parsed, input } = parseTolerantly(schema, value);
    if (parsed.error) faults.push(...faultsOf(parsed.error, input).map((f) => ({ ...f, pointer: prefix + f.pointer })));
    return parsed.data;
  };
  const gathered = gatherRecords(asked);
  if (isListOrFile(declared)) faults.push(...findUnknownNames(declared.query, gathered));
  const query = check(declared.query, gathered, '/query');
  const body = check(declared.body, input, '');
  return { faults: [...faults, ...between], query, body };
}

/** The bucket that counts a call, its owner there, and how many calls this one counts as. */
type Counted = { bucket: Bucket; who: string; points?: number };

/**
 * Counts the call of a known caller, then checks access.
 * @param counted by default the route's own bucket, for the merchant
 * @throws Problem too_many_requests, insufficient_scope, user_required
 */
export async function admit(
  declared: Route,
  caller: Caller,
  limits: Limits,
  ctx: Context,
  counted?: Counted,
): Promise<void> {
  const { merchantId, userId } = caller;
  const own = { bucket: declared.bucket as Bucket, who: merchantId || String(userId) };
  // A person may have several merchants.
  await countCall(limits, declared, { mailer: userId ?? merchantId, counted: counted ?? own }, ctx);
  requireAccess(declared.access, caller);
}

/** The headers of the answer are about the bucket that comes last. */
async function countCall(
  limits: Limits,
  { bucket, mails }: Route,
  { mailer, counted }: { mailer: string; counted: Counted },
  ctx: Context,
): Promise<void> {
  if (mails) await takeFrom(limits, 'mail', mailer, ctx);
  if (bucket) await takeFrom(limits, counted.bucket, counted.who, ctx, counted.points);
}

function writeAnswer(ctx: Context, { status, body, type, headers }: Answer): void {
  ctx.status = status;
  if (headers) ctx.set(headers);
  if (!ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-store');
  if (body === undefined || body === null) {
    ctx.body = null;
    ctx.status = status;
    return;
  }
  ctx.body = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  ctx.type = type ?? 'application/json';
}

/** @throws Problem insufficient_scope, user_required */
function requireAccess(access: Access, caller: Caller): void {
  if (access.kind === 'bearer' && !caller.scopes.has(access.scope)) throw insufficientScope(access.scope);
  if (access.kind === 'user' && !caller.userId) throw new Problem('user_required');
}

function insufficientScope(scope: Scope): Problem {
  return new Problem('insufficient_scope', {
    headers: { 'WWW-Authenticate': `Bearer realm="balcao", error="insufficient_scope", scope="${scope}"` },
  });
}

/** Whose request this is. Everything they may touch belongs to `merchantId`. */
export type Caller = {
  /** Empty: a person without a merchant, who has no scopes either. */
  merchantId: string;
  clientId: string;
  /** Null: a merchant's system, not a person. */
  userId: string | null;
  /** Of a person: the sign-in that the token is of. */
  sessionId: string | null;
  scopes: ReadonlySet<Scope>;
};

/** Resolves a token's caller; null when it is forged, expired, or its client is no longer allowed. */
export type Verify = (token: string) => Promise<Caller | null>;

/** @throws Problem invalid_token, with the challenge RFC 6750 §3 asks for */
export async function verifyBearer(ctx: Context, verify: Verify): Promise<Caller> {
  const header = ctx.get('authorization');
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
  const caller = token ? await verify(token) : null;
  if (caller) return caller;
  const reason = header ? ', error="invalid_token"' : '';
  throw new Problem('invalid_token', { headers: { 'WWW-Authenticate': `Bearer realm="balcao"${reason}` } });
}
