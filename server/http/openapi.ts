// The interface document (OpenAPI 3.1), written by the declared routes themselves.
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { PROBLEMS } from '../../shared/errors.ts';
import { VERSION } from '../config.ts';
import { csvText } from './csv.ts';
import { needsToken, type Access, type Route } from './route.ts';

const problem = z
  .object({
    type: z.url(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(Object.keys(PROBLEMS) as [string, ...string[]]),
    errors: z.array(z.object({ pointer: z.string(), code: z.string(), message: z.string() })).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457 problem; `code` is stable, `errors` names every wrong field by JSON pointer.',
  });

const problemAnswer = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: problem } },
});

/** The document of all published routes. */
export function describeApi(routes: Route[], publicUrl: string): object {
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
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'POST /oauth/token issues it.' },
        },
      },
      paths: paths as ZodOpenApiPathsObject,
    },
    {
      outputIdSuffix: '',
      // Answers grow by new fields (decisions §1, versioning): no client may be told that there are none.
      override({ jsonSchema, io }) {
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // JSON Schema does not say the `u` flag: without it `\p{Cc}` is the letters p, C and c.
        if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
      },
    },
  );
}

function describeRoute(declared: Route): ZodOpenApiOperationObject {
  const { access } = declared;
  const body = declared.bodyDoc ?? declared.body;
  const types = ['application/json', ...(declared.acceptsForm ? ['application/x-www-form-urlencoded'] : [])];
  const scope = SAID[access.kind]?.(access) ?? '';
  return {
    operationId: declared.operationId,
    tags: [declared.tag],
    summary: declared.summary,
    description: `${declared.description ?? declared.summary}${declared.csv ? EXPORTED : ''}${scope}`,
    security: needsToken(access) ? [{ bearer: [] }] : [],
    ...(declared.bucket && { 'x-rate-limit': declared.bucket }),
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

function headersOf({ idempotent, prefers }: Route): z.ZodObject {
  const preferred = { Prefer: z.string().optional().describe(`${prefers} (RFC 7240)`) };
  return z.object({ ...(idempotent && idempotencyHeader), ...(prefers && preferred) });
}

const idempotencyHeader = {
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .describe(
      'A repeat with the same key and body gets the first answer again for 7 days, marked Idempotency-Replayed.',
    ),
};

function answersOf(declared: Route): ZodOpenApiOperationObject['responses'] {
  const entries = Object.entries(declared.answers).map(([status, { description, schema, contentType }]) => {
    const type = contentType ?? 'application/json';
    return [
      status,
      {
        description,
        headers: answerHeaders(declared),
        ...((schema || contentType) && {
          content: { [type]: schema ? { schema } : {}, ...(declared.csv && { 'text/csv': { schema: csvText } }) },
        }),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** What comes with an answer besides its body. */
function answerHeaders({ access, bucket, idempotent }: Route): z.ZodObject {
  return z.object({
    'X-Request-Id': z.string().describe('The request’s, if it was sane, else ours'),
    ...(needsToken(access) && bucket && rateHeaders),
    ...(idempotent && { 'Idempotency-Replayed': z.literal('true').optional().describe('On a repeat’s answer') }),
  });
}

const rateHeaders = {
  RateLimit: z.string().describe('What is left of this minute, e.g. "write";r=99;t=60'),
  'RateLimit-Policy': z.string().describe('The minute’s quota, e.g. "write";q=100;w=60'),
};

const retryAfter = { headers: z.object({ 'Retry-After': z.int().describe('Whole seconds') }) };

function refusalsOf(declared: Route): ZodOpenApiOperationObject['responses'] {
  if (declared.refuse) return {};
  const body = declared.bodyDoc ?? declared.body;
  return {
    ...((declared.body || declared.query) && { 400: problemAnswer('Bad request') }),
    ...(declared.changesState && {
      400: problemAnswer('Bad request; prefetch_refused for a prefetch, since this GET changes state'),
      405: problemAnswer('To HEAD, since this GET changes state'),
    }),
    ...(declared.isStream && { 405: problemAnswer('To HEAD, since this is a stream') }),
    ...(needsToken(declared.access) && {
      401: problemAnswer('No valid token'),
      403: problemAnswer(declared.access.kind === 'user' ? 'Not a person’s token' : 'The token lacks the scope'),
    }),
    ...(declared.params && { 404: problemAnswer('Not found') }),
    ...(declared.idempotent && { 409: problemAnswer('Conflict'), 422: problemAnswer('Idempotency-Key reused') }),
    ...(body && { 413: problemAnswer('Body larger than 1 MiB'), 415: problemAnswer('Not JSON') }),
    ...(declared.bucket && { 429: { ...problemAnswer('Too many requests'), ...retryAfter } }),
    503: { ...problemAnswer('Not now, and no money moves because of it'), ...retryAfter },
    ...Object.fromEntries(
      Object.entries(declared.refusals ?? {}).map(([status, about]) => [status, problemAnswer(about)]),
    ),
  };
}
