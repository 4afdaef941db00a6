// The interface document (OpenAPI 3.1), written by the declared routes themselves.
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { PROBLEMS } from '../../shared/errors.ts';
import { VERSION } from '../config.ts';
import { maxValuesOf } from './body.ts';
import { saidAs } from './fields.ts';
import { maxBytesOf, needsToken, type Route } from './route.ts';

/** The id of the request in examples. */
export const EXAMPLE_REQUEST = '019cad00-0000-7000-8000-000000000000';

const problem = z
  .object({
    type: z.url(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [string, ...string[]]),
    errors: z.array(z.object({ pointer: z.string(), code: z.string(), message: z.string() })).optional(),
    internalId: z.uuid().optional().describe('Of `reference_in_flight`: the payment that has it'),
    current: z.looseObject({}).optional().describe('Of `link_changed`: the link as it is now'),
    replacedBy: z.uuid().optional().describe('Of `payment_replaced`: the payment that its payer went on with'),
    open: z.int().optional().describe('Of `rail_account_in_use`: how much is still open there'),
    limit: z.string().optional().describe('Of `cashier_limit`: what one cashier may give back a day'),
    given: z.string().optional().describe('Of `cashier_limit`: what this one has given back today'),
    currency: z.string().optional().describe('Of `cashier_limit`'),
    saldoAtual: z.int().optional().describe('Of `insufficient_sms_balance`: the units that are there'),
    unidades: z.int().optional().describe('Of `insufficient_sms_balance`: the units that are needed'),
    lines: z
      .array(z.object({ line: z.int(), date: z.string(), amount: z.number(), description: z.string() }))
      .optional()
      .describe('Of `bank_line_unclear`: what the file has'),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457 problem; `code` is stable, `errors` names every wrong field by JSON pointer.',
  });

/** A header of many answers. The document defines it once and refers to it by name. */
const header = (name: string, type: z.ZodType, description: string, example: unknown) => ({
  [name]: type.meta({ description, header: { id: name, example } }),
});

const maybe = z.string().optional();
const requestId = header('X-Request-Id', z.string(), 'The request’s, if it was sane, else ours', EXAMPLE_REQUEST);
/** On every answer after the limit has counted the request. A refusal may come before it, and an operator may set no limit. */
const rateHeaders = {
  ...header('RateLimit', maybe, 'What is left of this minute', '"write";r=99;t=60'),
  ...header('RateLimit-Policy', maybe, 'The minute’s quota', '"write";q=100;w=60'),
};
const ending = {
  ...header('Deprecation', z.string(), 'Since when it will go (RFC 9745)', '@1796083200'),
  ...header('Sunset', z.string(), 'From when on it may be gone (RFC 8594)', 'Wed, 01 Dec 2027 00:00:00 GMT'),
  ...header('Link', z.string(), 'What to use instead', '<https://…>; rel="deprecation"; type="text/html"'),
};
const retryAfter = header('Retry-After', z.int(), 'Whole seconds', 2);
const replayed = header('Idempotency-Replayed', z.literal('true').optional(), 'On a repeat’s answer', 'true');
const applied = header(
  'Preference-Applied',
  maybe,
  'What of `Prefer` was honoured (RFC 7240)',
  'return=representation',
);
const tag = header('ETag', maybe, 'Of it as it is now', '"kq3Jw5cGfPj0ZbN2yT1hUA"');

/** Headers of a status. Only some refusals of 403 and 409 have them, so they are optional and not shared by name. */
const HEADERS_OF: Record<string, Record<string, z.ZodType>> = {
  401: header('WWW-Authenticate', z.string(), 'What would do (RFC 6750)', 'Bearer realm="balcao"'),
  403: { 'WWW-Authenticate': maybe.meta({ description: 'The scope that the token lacks (RFC 6750)' }) },
  409: { 'Retry-After': z.int().optional().meta({ description: 'Whole seconds' }) },
  429: retryAfter,
  503: retryAfter,
};

/** The document of all published routes. @param webhooks the calls to merchants' servers, by name */
export function describeApi(
  routes: Route[],
  publicUrl: string,
  webhooks: Record<string, ZodOpenApiPathItemObject> = {},
): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const declared of routes) {
    if (declared.isHidden) continue;
    (paths[declared.path] ??= {})[declared.method.toLowerCase() as 'get'] = describeRoute(declared);
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Balcão',
        version: VERSION,
        description: 'Payment gateway for Angola. Amounts are in major units; times are ISO 8601 UTC.',
        contact: { name: 'Balcão', url: `${publicUrl}/docs` },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'POST /oauth/token issues it.' },
        },
      },
      paths,
      webhooks,
    },
    {
      outputIdSuffix: '',
      // Answers may get new fields (decisions §1, versioning), so the document does not exclude them.
      override({ jsonSchema, io }) {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // JSON Schema does not say the `u` flag: without it `\p{Cc}` is the letters p, C and c.
        if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
        // zod adds JavaScript's bounds, which are no rules of the API.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    },
  );
}

function describeRoute(declared: Route): ZodOpenApiOperationObject {
  const { access } = declared;
  const body = declared.bodyDoc ?? declared.body;
  const types = ['application/json', ...(declared.acceptsForm ? ['application/x-www-form-urlencoded'] : [])];
  const token = access.kind === 'bearer' ? `\n\nNeeds the scope \`${access.scope}\`.` : '';
  const called = nameClientMethod(declared.operationId, declared.tag);
  return {
    operationId: declared.operationId,
    tags: [declared.tag],
    ...(declared.deprecated && { deprecated: true }),
    summary: declared.summary,
    description: `${declared.description ?? declared.summary}${declared.csv ? EXPORTED : ''}${access.kind === 'user' ? PERSON : token}`,
    security: needsToken(access) ? [{ bearer: [] }] : [],
    ...(declared.bucket && { 'x-rate-limit': declared.bucket }),
    ...(needsToken(access) && called && { 'x-client': called }),
    requestParams: {
      ...(declared.params && { path: declared.params as z.ZodObject }),
      ...(declared.query && { query: declared.query as z.ZodObject }),
      header: headersOf(declared),
    },
    ...(body && {
      requestBody: {
        required: !declared.body?.safeParse(undefined).success,
        content: Object.fromEntries(
          types.map((type) => [type, { schema: body, ...(declared.example && { example: declared.example }) }]),
        ),
      },
    }),
    responses: { ...refusalsOf(declared), ...answersOf(declared) },
  };
}

const EXPORTED =
  '\n\nWith `Accept: text/csv`, or `.csv` behind the path, all rows come as one file, whatever the page; 429 `too_many_exports` while two of yours are under way.';

const PERSON = '\n\nNeeds the token of a person (password grant), of whatever scope.';

function headersOf({ idempotent, prefers, tagged, method }: Route): z.ZodObject {
  return z.object({
    ...(idempotent && { 'Idempotency-Key': z.string().max(255).optional().describe(KEY_SAID) }),
    ...(tagged && method !== 'GET' && { 'If-Match': maybe.describe(TAG_SAID) }),
    ...(prefers && { Prefer: maybe.describe(`${prefers} (RFC 7240)`) }),
  });
}

const KEY_SAID =
  'A repeat with the same key and body gets the first answer again for 24 hours (unless the operator keeps it longer), marked Idempotency-Replayed.';
const TAG_SAID = 'The `ETag` of what you have read: where it is another now, 412 and nothing changes (RFC 9110)';

const csvText = z.string().meta({ ...saidAs({ type: 'string' }), description: 'A line of names, then one a row' });

type Responses = ZodOpenApiOperationObject['responses'];

function answersOf(declared: Route): Responses {
  const entries = Object.entries(declared.answers).map(([status, answer]) => {
    const { description, schema, contentType = 'application/json', also = [], json, headers = {} } = answer;
    const own = Object.entries(headers).map(([name, about]) => [name, maybe.describe(about)]);
    const content = {
      [contentType]: schema ? { schema } : {},
      ...Object.fromEntries(also.map((type) => [type, {}])),
      ...(declared.csv && { 'text/csv': { schema: csvText } }),
      ...(json && { 'application/json': { schema: json } }),
    };
    return [
      status,
      {
        description,
        headers: z.object({
          ...commonHeaders(declared, status),
          ...(declared.idempotent && replayed),
          ...(declared.prefers && applied),
          ...(declared.tagged && tag),
          ...Object.fromEntries(own),
        }),
        ...((schema || answer.contentType) && { content }),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** The headers of every answer of a status. */
function commonHeaders({ bucket, deprecated }: Route, status: string): Record<string, z.ZodType> {
  return { ...requestId, ...(bucket && rateHeaders), ...(deprecated && ending), ...HEADERS_OF[status] };
}

function refusalsOf(declared: Route): Responses {
  const content = {
    'application/problem+json': { schema: problem },
    ...(declared.refusesByPage && { 'text/html': {} }),
  };
  // A route with refusals in its own form (OAuth) answers only failures as problems.
  const refusals = declared.refuse ? { 503: AWAY } : findRefusals(declared);
  return Object.fromEntries(
    Object.entries(refusals).map(([status, description]) => [
      status,
      { description, headers: z.object(commonHeaders(declared, status)), content },
    ]),
  );
}

const AWAY = 'Not now, and no money moves because of it';

/** The reasons of refusals by status. Every operation has one below 500, at least that its address takes no other method. */
function findRefusals(declared: Route): Record<string, string> {
  const { access, body, query, params, idempotent, bucket, csv } = declared;
  const maxBytes = maxBytesOf(declared);
  const found: Record<string, string> = {
    ...((body || query || idempotent) && { 400: 'Bad request' }),
    ...(declared.changesState && {
      400: 'Bad request; prefetch_refused for a prefetch, since this GET changes state',
      405: 'To HEAD, since this GET changes state',
    }),
    ...(declared.isStream && { 405: 'To HEAD, since this is a stream' }),
    ...(needsToken(access) && {
      401: 'No valid token',
      403: access.kind === 'user' ? 'Not a person’s token' : 'The token lacks the scope',
    }),
    ...(params && { 404: 'Not found' }),
    ...(idempotent && { 409: 'Conflict', 422: 'Idempotency-Key reused' }),
    ...(declared.tagged && declared.method !== 'GET' && { 412: 'precondition_failed: changed since it was read' }),
    ...((body ?? declared.bodyDoc) && {
      413: `Body larger than ${maxBytes / 1_024} KiB, or of more than ${maxValuesOf(maxBytes)} values`,
      415: 'Not JSON',
    }),
    ...(bucket && { 429: csv ? 'too_many_requests; too_many_exports of a file' : 'Too many requests' }),
    503: AWAY,
    ...declared.refusals,
  };
  return Object.keys(found).some((status) => status < '500') ? found : { 405: 'To another method', ...found };
}

/** Tags of operations for payers' browsers, people and monitors. Client credentials do not call them. */
const NOT_OURS = new Set(['Tokens', 'Checkout', 'Profile', 'Accounts', 'Status']);

/** Nouns with a group of their own in `@balcao/client`. Other operations stand under their tag. */
const NOUNS =
  /(RailAccount|Reference|Link|Payment|Refund|Transaction|Settlement|Terminal|Callback|Webhook|Merchant|Client|Notification|Event|Sms)/;

/** Exceptions: by the rule two operations would have one name, or one a poor name. */
const NAMED: Record<string, string> = {
  createReferences: 'references.createBulk',
  replayCallbacks: 'callbacks.replayAll',
  enterCredits: 'settlements.enterCredits',
};

/** `createPayment` is `payments.create`, `readWebhook` `webhooks.get`, `listSentSms` `sms.listSent`. Null: not in the client. */
function nameClientMethod(operationId: string, tag: string): string | null {
  if (NOT_OURS.has(tag)) return null;
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const noun = NOUNS.exec(rest)?.[0];
  const plural = noun === 'Sms' ? 'sms' : `${noun}s`;
  const left = noun ? rest.replace(new RegExp(`${noun}(s(?![a-z]))?`), '') : rest;
  const own = noun ? plural[0]!.toLowerCase() + plural.slice(1) : tag.toLowerCase().replaceAll(' ', '');
  return NAMED[operationId] ?? `${own}.${verb === 'read' ? 'get' : verb}${left}`;
}
