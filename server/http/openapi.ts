// The interface document (OpenAPI 3.1), written by the declared routes themselves.
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { PROBLEMS } from '../../shared/errors.ts';
import type { Route } from './route.ts';

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
        version: '0.1.0',
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
    { outputIdSuffix: '' },
  );
}

function describeRoute(declared: Route): ZodOpenApiOperationObject {
  const { access } = declared;
  const body = declared.bodyDoc ?? declared.body;
  const types = ['application/json', ...(declared.acceptsForm ? ['application/x-www-form-urlencoded'] : [])];
  const scope = access.kind === 'bearer' ? `\n\nNeeds the scope \`${access.scope}\`.` : '';
  return {
    operationId: declared.operationId,
    tags: [declared.tag],
    summary: declared.summary,
    description: `${declared.description ?? declared.summary}${scope}`,
    security: access.kind === 'bearer' ? [{ bearer: [] }] : [],
    requestParams: {
      ...(declared.params && { path: declared.params as z.ZodObject }),
      ...(declared.query && { query: declared.query as z.ZodObject }),
      ...(declared.idempotent && { header: idempotencyHeader }),
    },
    ...(body && {
      requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: body }])) },
    }),
    responses: { ...refusalsOf(declared), ...answersOf(declared) },
  };
}

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .describe(
      'A repeat with the same key and body gets the first answer again for 7 days, marked Idempotency-Replayed.',
    ),
});

function answersOf(declared: Route): ZodOpenApiOperationObject['responses'] {
  const entries = Object.entries(declared.answers).map(([status, { description, schema, contentType }]) => {
    const type = contentType ?? 'application/json';
    return [status, { description, ...(schema ? { content: { [type]: { schema } } } : {}) }];
  });
  return Object.fromEntries(entries);
}

function refusalsOf(declared: Route): ZodOpenApiOperationObject['responses'] {
  if (declared.refuse) return {};
  return {
    ...((declared.body || declared.query) && { 400: problemAnswer('Bad request') }),
    ...(declared.access.kind === 'bearer' && {
      401: problemAnswer('No valid token'),
      403: problemAnswer('The token lacks the scope'),
    }),
    ...(declared.params && { 404: problemAnswer('Not found') }),
    ...(declared.idempotent && { 409: problemAnswer('Conflict'), 422: problemAnswer('Idempotency-Key reused') }),
    ...(declared.bucket && { 429: problemAnswer('Too many requests; see Retry-After') }),
  };
}
