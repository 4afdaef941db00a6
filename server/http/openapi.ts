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
import { nameClientMethod } from './client-name.ts';
import { saidAs } from './fields.ts';
import { maxBytesOf, needsToken, type Access, type Route } from './route.ts';

/** The request that examples are of. */
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

/** A header that many answers bear: told once, and referred to by its name. */
const header = (name: string, type: z.ZodType, description: string, example: unknown) =>
  type.meta({ description, header: { id: name, example } });

const requestId = {
  'X-Request-Id': header('X-Request-Id', z.string(), 'The request’s, if it was sane, else ours', EXAMPLE_REQUEST),
};
/** On every answer after the limit has counted the request. A refusal may come before it, and an operator may set no limit. */
const rateHeaders = {
  RateLimit: header('RateLimit', z.string().optional(), 'What is left of this minute', '"write";r=99;t=60'),
  'RateLimit-Policy': header('RateLimit-Policy', z.string().optional(), 'The minute’s quota', '"write";q=100;w=60'),
};
const ending = {
  Deprecation: header('Deprecation', z.string(), 'Since when it will go (RFC 9745)', '@1796083200'),
  Sunset: header('Sunset', z.string(), 'From when on it may be gone (RFC 8594)', 'Wed, 01 Dec 2027 00:00:00 GMT'),
  Link: header('Link', z.string(), 'What to use instead', '<https://…>; rel="deprecation"; type="text/html"'),
};
const retryAfter = { 'Retry-After': header('Retry-After', z.int(), 'Whole seconds', 2) };
const challenge = {
  'WWW-Authenticate': header('WWW-Authenticate', z.string(), 'What would do (RFC 6750)', 'Bearer realm="balcao"'),
};
/** Only some refusals of the status bear these, so they have no name in the document and are optional. */
const optional = (type: z.ZodType, description: string) => type.optional().meta({ description });
const sometimes = {
  retryAfter: { 'Retry-After': optional(z.int(), 'Whole seconds') },
  challenge: { 'WWW-Authenticate': optional(z.string(), 'The scope that the token lacks (RFC 6750)') },
};
const replayed = {
  'Idempotency-Replayed': header('Idempotency-Replayed', z.literal('true').optional(), 'On a repeat’s answer', 'true'),
};
const applied = {
  'Preference-Applied': header(
    'Preference-Applied',
    z.string().optional(),
    'What of `Prefer` was honoured (RFC 7240)',
    'return=representation',
  ),
};

const tag = { ETag: header('ETag', z.string().optional(), 'Of it as it is now', '"kq3Jw5cGfPj0ZbN2yT1hUA"') };

/** Headers that a refusal of a status may bear. */
const TOLD: Record<number, Record<string, z.ZodType>> = {
  401: challenge,
  403: sometimes.challenge,
  409: sometimes.retryAfter,
  429: retryAfter,
  503: retryAfter,
};

/** The document of all published routes. @param webhooks what merchants' servers are called with, by name */
export function describeApi(
  routes: Route[],
  publicUrl: string,
  webhooks: Record<string, ZodOpenApiPathItemObject> = {},
): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const declared of routes) {
    if (declared.isHidden) continue;
    (paths[declared.path] ??= {})[declared.method.toLowerCase()] = describeRoute(declared);
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
      paths: paths as ZodOpenApiPathsObject,
      webhooks,
    },
    {
      outputIdSuffix: '',
      // Answers grow by new fields (decisions §1, versioning): no client may be told that there are none.
      override({ jsonSchema, io }) {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // JSON Schema does not say the `u` flag: without it `\p{Cc}` is the letters p, C and c.
        if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
        // JavaScript's own bounds are nobody's rule.
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
  const scope = SAID[access.kind]?.(access) ?? '';
  const called = nameClientMethod(declared.operationId, declared.tag);
  return {
    operationId: declared.operationId,
    tags: [declared.tag],
    ...(declared.deprecated && { deprecated: true }),
    summary: declared.summary,
    description: `${declared.description ?? declared.summary}${declared.csv ? EXPORTED : ''}${scope}`,
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

/** What an operation needs, in words. */
const SAID: Partial<Record<Access['kind'], (access: Access) => string>> = {
  bearer: (access) => ('scope' in access ? `\n\nNeeds the scope \`${access.scope}\`.` : ''),
  user: () => '\n\nNeeds the token of a person (password grant), of whatever scope.',
};

const ifMatchHeader = {
  'If-Match': z
    .string()
    .optional()
    .describe('The `ETag` of what you have read: where it is another now, 412 and nothing changes (RFC 9110)'),
};

function headersOf({ idempotent, prefers, tagged, method }: Route): z.ZodObject {
  const preferred = { Prefer: z.string().optional().describe(`${prefers} (RFC 7240)`) };
  return z.object({
    ...(idempotent && idempotencyHeader),
    ...(tagged && method !== 'GET' && ifMatchHeader),
    ...(prefers && preferred),
  });
}

const idempotencyHeader = {
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .describe(
      'A repeat with the same key and body gets the first answer again for 24 hours (unless the operator keeps it longer), marked Idempotency-Replayed.',
    ),
};

const csvText = z.string().meta({ ...saidAs({ type: 'string' }), description: 'A line of names, then one a row' });

function answersOf(declared: Route): ZodOpenApiOperationObject['responses'] {
  const entries = Object.entries(declared.answers).map(
    ([status, { description, schema, contentType, also, json, headers }]) => {
      const type = contentType ?? 'application/json';
      const others = [...(also ?? []), ...(declared.csv ? ['text/csv'] : [])];
      const own = Object.entries(headers ?? {}).map(([name, about]) => [name, z.string().optional().describe(about)]);
      return [
        status,
        {
          description,
          headers: z.object({
            ...commonHeaders(declared),
            ...TOLD[Number(status)],
            ...(declared.idempotent && replayed),
            ...(declared.prefers && applied),
            ...(declared.tagged && tag),
            ...Object.fromEntries(own),
          }),
          ...((schema || contentType) && {
            content: {
              [type]: schema ? { schema } : {},
              ...Object.fromEntries(others.map((other) => [other, other === 'text/csv' ? { schema: csvText } : {}])),
              ...(json && { 'application/json': { schema: json } }),
            },
          }),
        },
      ];
    },
  );
  return Object.fromEntries(entries);
}

/** What comes with any answer besides its body. */
function commonHeaders({ bucket, deprecated }: Route): Record<string, z.ZodType> {
  return { ...requestId, ...(bucket && rateHeaders), ...(deprecated && ending) };
}

function refusalsOf(declared: Route): ZodOpenApiOperationObject['responses'] {
  const content = {
    'application/problem+json': { schema: problem },
    ...(declared.refusesByPage && { 'text/html': {} }),
  };
  // Where refusals have a form of their own, only what is no refusal of the route's is a problem.
  const told = declared.refuse ? { 503: AWAY } : listRefusals(declared);
  return Object.fromEntries(
    Object.entries(told).map(([status, description]) => {
      const headers = z.object({ ...commonHeaders(declared), ...TOLD[Number(status)] });
      return [status, { description, headers, content }];
    }),
  );
}

const AWAY = 'Not now, and no money moves because of it';

/** Why it may be refused, by status: at least since its address takes no other method. */
function listRefusals(declared: Route): Record<string, string> {
  const found = findRefusals(declared);
  return Object.keys(found).some((status) => status < '500') ? found : { 405: 'To another method', ...found };
}

const describeBounds = (maxBytes: number) =>
  `Body larger than ${maxBytes / 1_024} KiB, or of more than ${maxValuesOf(maxBytes)} values`;

function findRefusals(declared: Route): Record<string, string> {
  const body = declared.bodyDoc ?? declared.body;
  return {
    ...((declared.body || declared.query || declared.idempotent) && { 400: 'Bad request' }),
    ...(declared.changesState && {
      400: 'Bad request; prefetch_refused for a prefetch, since this GET changes state',
      405: 'To HEAD, since this GET changes state',
    }),
    ...(declared.isStream && { 405: 'To HEAD, since this is a stream' }),
    ...(needsToken(declared.access) && {
      401: 'No valid token',
      403: declared.access.kind === 'user' ? 'Not a person’s token' : 'The token lacks the scope',
    }),
    ...(declared.params && { 404: 'Not found' }),
    ...(declared.idempotent && { 409: 'Conflict', 422: 'Idempotency-Key reused' }),
    ...(declared.tagged && declared.method !== 'GET' && { 412: 'precondition_failed: changed since it was read' }),
    ...(body && { 413: describeBounds(maxBytesOf(declared)), 415: 'Not JSON' }),
    ...(declared.bucket && {
      429: declared.csv ? 'too_many_requests; too_many_exports of a file' : 'Too many requests',
    }),
    503: AWAY,
    ...declared.refusals,
  };
}
