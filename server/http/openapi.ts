// Builds the OpenAPI 3.1 document from the declared routes.
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { PROBLEMS } from '../../shared/errors.ts';
import type { Scope } from '../../shared/scopes.ts';
import { API_VERSION } from '../config.ts';
import { maxValuesOf } from './body.ts';
import { documentedAs, RULE_KEY } from './fields.ts';
import { nameSchemas } from './openapi-schemas.ts';
import { maxBytesOf, needsToken, type Route } from './route.ts';

/** The request id in the document's examples. */
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
    internalId: z.uuid().optional().describe('With `reference_in_flight`: the payment that has the reference'),
    current: z.looseObject({}).optional().describe('With `link_changed`: the current link'),
    replacedBy: z.uuid().optional().describe('With `payment_replaced`: the payment that replaces this one'),
    open: z.int().optional().describe('With `rail_account_in_use`: the number of open orders of the account'),
    limit: z.string().optional().describe('With `cashier_limit`: the amount that a cashier may refund a day'),
    given: z.string().optional().describe('With `cashier_limit`: the amount that this cashier has refunded today'),
    currency: z.string().optional().describe('With `cashier_limit`: the currency of both amounts'),
    saldoAtual: z.int().optional().describe('With `insufficient_sms_balance`: the available units'),
    unidades: z.int().optional().describe('With `insufficient_sms_balance`: the required units'),
    lines: z
      .array(z.object({ line: z.int(), date: z.string(), amount: z.number(), description: z.string() }))
      .optional()
      .describe('With `bank_line_unclear`: the matching lines of the file'),
  })
  .meta({
    id: 'Problem',
    description: 'An RFC 9457 problem. `code` is stable. `errors` names every wrong field by its JSON pointer.',
  });

/** Builds a response header that many responses share. The document defines it once and refers to it by name. */
const header = (name: string, type: z.ZodType, description: string, example: unknown, variant?: string) => ({
  [name]: type.meta({ description, header: { id: variant ? `${name}-${variant}` : name, example } }),
});

const optionalText = z.string().optional();
const requestId = header(
  'X-Request-Id',
  z.string(),
  'The id of the request: yours if it is valid, otherwise a new one',
  EXAMPLE_REQUEST,
);
/** The rate-limit headers of counted requests. Requests that are refused before the count do not have them. */
const rateHeaders = {
  ...header('RateLimit', optionalText, 'The remaining quota of this minute', '"write";r=99;t=60'),
  ...header('RateLimit-Policy', optionalText, 'The quota of a minute', '"write";q=100;w=60'),
};
const deprecationHeaders = {
  ...header('Deprecation', z.string(), 'Since when the operation is deprecated (RFC 9745)', '@1796083200'),
  ...header('Sunset', z.string(), 'From when the operation may be removed (RFC 8594)', 'Wed, 01 Dec 2027 00:00:00 GMT'),
  ...header('Link', z.string(), 'The replacement', '<https://…>; rel="deprecation"; type="text/html"'),
};
const retryAfter = header('Retry-After', z.int(), 'When to repeat the request, in whole seconds', 2);
const replayed = header(
  'Idempotency-Replayed',
  z.literal('true').optional(),
  'Present in the answer to a repeated request',
  'true',
);
const applied = header(
  'Preference-Applied',
  optionalText,
  'The honoured values of `Prefer` (RFC 7240)',
  'return=representation',
);
const tag = header('ETag', optionalText, 'The tag of the current version', '"kq3Jw5cGfPj0ZbN2yT1hUA"');

const SCOPE_CHALLENGE = 'Bearer realm="balcao", error="insufficient_scope", scope="refunds:write"';

/** The headers of a status. They are optional, because only some refusals of 403 and 409 have them. */
const HEADERS_OF: Record<string, Record<string, z.ZodType>> = {
  401: header('WWW-Authenticate', z.string(), 'The required authentication (RFC 6750)', 'Bearer realm="balcao"'),
  403: header('WWW-Authenticate', optionalText, 'The scope that the token lacks (RFC 6750)', SCOPE_CHALLENGE, 'Scope'),
  409: header('Retry-After', z.int().optional(), 'When to repeat the request, in whole seconds', 2, 'Optional'),
  429: retryAfter,
  503: retryAfter,
};

const SCOPE_TEXTS: Record<Scope, string> = {
  'payments:read': 'Read payments, refunds, links, shifts, settlements, articles and events',
  'payments:write': 'Create and cancel payments and links, and keep shifts',
  'refunds:write': 'Create and cancel refunds',
  'references:read': 'Read payment references',
  'references:write': 'Create and cancel payment references',
  terminals: 'Open and close terminals',
  'merchant:read': 'Read the merchant, its people, endpoints and deliveries',
  'merchant:write': 'Change the merchant, its endpoints, API clients and articles',
  'users:write': 'Grant and revoke the access of people',
  'sms:read': 'Read SMS contacts, templates and sent messages',
  'sms:write': 'Send SMS, and change contacts and templates',
  notifications: 'Read and mark notifications',
  'billing:read': 'Read the plan, the usage and invoices',
  'billing:write': 'Choose a plan',
  'rails:write': 'Read and change rail accounts',
  'books:write': 'Enter credits and import bank statements',
  privacy: 'Export and erase personal data',
};

/** Returns the OpenAPI document of all published routes. @param webhooks the calls to merchants' servers, by name */
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
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Balcão',
        version: API_VERSION,
        description: 'Payment gateway for Angola. Amounts are in major units. Times are ISO 8601 in UTC.',
        contact: { name: 'Balcão', url: `${publicUrl}/docs` },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          oauth2: {
            type: 'oauth2',
            description:
              'API clients use client credentials, sent by HTTP Basic. People use their e-mail and password.',
            flows: {
              clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: SCOPE_TEXTS },
              password: { tokenUrl: `${publicUrl}/oauth/token`, scopes: SCOPE_TEXTS },
            },
          },
        },
      },
      paths,
      webhooks,
    },
    {
      outputIdSuffix: '',
      // A later release may add fields to responses without a new API version, so the document does not exclude them.
      override({ jsonSchema, zodSchema, io }) {
        const rule = ownRuleOf(zodSchema);
        if (rule && jsonSchema.pattern) (jsonSchema as Ruled)[RULE_KEY] ??= rule;
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        // JSON Schema has no `u` flag, and without the flag `\p{Cc}` matches the letters p, C and c.
        if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
        // The format says the same in fewer words.
        if (jsonSchema.format === 'uuid' || jsonSchema.format === 'date-time') delete jsonSchema.pattern;
        // zod adds the bounds of JavaScript's integers, which are not rules of the API.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    },
  );
  sayRules(document);
  nameSchemas(document);
  return document;
}

/** Returns the rule in the message of a schema's pattern, without "must be". */
function ownRuleOf({ _zod: { def } }: z.core.$ZodTypes): string | null {
  for (const check of def.checks ?? []) {
    const { error } = check._zod.def;
    const message = error?.({} as never);
    const text = typeof message === 'string' ? message : message?.message;
    if (text?.startsWith('must be ')) return text.slice('must be '.length);
  }
  return null;
}

type Ruled = Record<string, unknown> & {
  type?: string | string[];
  description?: string;
  anyOf?: Ruled[];
  oneOf?: Ruled[];
  items?: Ruled;
  schema?: Ruled;
  minLength?: number;
  maxLength?: number;
  [RULE_KEY]?: string;
};

/** Adds to the description of each text field the field's rule: its characters and its length. */
function sayRules(node: unknown, isSaid = false): void {
  if (typeof node !== 'object' || node === null) return;
  const field = node as Ruled;
  const isParameter = typeof field['in'] === 'string';
  const rule = isSaid ? null : ruleOf(isParameter ? (field.schema ?? {}) : field);
  const about = field.description ?? listOptions(field)[0]?.description;
  if (rule && !about?.toLowerCase().includes(rule.toLowerCase()))
    field.description = [about?.replace(/\.$/, ''), rule[0]!.toUpperCase() + rule.slice(1)].filter(Boolean).join('. ');
  delete field[RULE_KEY];
  // The options of a choice, the items of a list and the schema of a parameter belong to the described field.
  for (const inner of Object.values(field)) sayRules(inner, rule !== null || (isSaid && Array.isArray(node)));
}

const listOptions = ({ anyOf, oneOf }: Ruled) => (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null');

function ruleOf(schema: Ruled): string | null {
  const [only, ...others] = listOptions(schema);
  if (only) return others.length === 0 ? ruleOf(only) : null;
  const ofItems = schema.items && ruleOf(schema.items);
  if (ofItems) return `each ${ofItems}`;
  if (![schema.type].flat().includes('string')) return null;
  return [schema[RULE_KEY], lengthOf(schema)].filter(Boolean).join(', ') || null;
}

function lengthOf({ minLength = 0, maxLength }: Ruled): string | null {
  if (maxLength === undefined) return minLength > 0 ? `at least ${minLength} characters` : null;
  if (minLength === maxLength) return `${maxLength} characters`;
  return minLength > 0 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`;
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
    description: [
      declared.description ?? declared.summary,
      declared.csv ? CSV_NOTE : '',
      access.kind === 'user' ? PERSON_NOTE : token,
    ].join(''),
    security: needsToken(access) ? [{ oauth2: access.kind === 'bearer' ? [access.scope] : [] }] : [],
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

const CSV_NOTE =
  '\n\nWith `Accept: text/csv`, or with `.csv` after the path, the answer is one file with all rows. ' +
  'While two of your exports run, another one returns 429 `too_many_exports`.';

const PERSON_NOTE = '\n\nNeeds the token of a person (password grant), with any scope.';

function headersOf({ idempotent, prefers, tagged, method }: Route): z.ZodObject {
  return z.object({
    ...(idempotent && { 'Idempotency-Key': z.string().max(255).optional().describe(KEY_NOTE) }),
    ...(tagged && method !== 'GET' && { 'If-Match': optionalText.describe(TAG_NOTE) }),
    ...(prefers && { Prefer: optionalText.describe(`${prefers} (RFC 7240)`) }),
  });
}

const KEY_NOTE =
  'A repeated request with the same key and body has no second effect. It returns the first status, with the header ' +
  'Idempotency-Replayed, and a payment or refund as it is now. Keys are kept for 7 days, unless the operator sets ' +
  'another time.';
const TAG_NOTE =
  'The `ETag` of the version that you read. If the resource has changed since, the request returns 412 ' +
  'and changes nothing (RFC 9110)';

const csvText = z
  .string()
  .meta({ ...documentedAs({ type: 'string' }), description: 'A header line, then one line for each row' });

type Responses = ZodOpenApiOperationObject['responses'];

function answersOf(declared: Route): Responses {
  const entries = Object.entries(declared.answers).map(([status, answer]) => {
    const { description, schema, contentType = 'application/json', also = [], json, headers = {} } = answer;
    const own = Object.entries(headers).map(([name, about]) => [name, optionalText.describe(about)]);
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

/** Returns the headers that every response with this status has. */
function commonHeaders({ bucket, deprecated }: Route, status: string): Record<string, z.ZodType> {
  return { ...requestId, ...(bucket && rateHeaders), ...(deprecated && deprecationHeaders), ...HEADERS_OF[status] };
}

function refusalsOf(declared: Route): Responses {
  const content = {
    'application/problem+json': { schema: problem },
    ...(declared.refusesByPage && { 'text/html': {} }),
  };
  // A route with its own form of refusals (OAuth) returns problems only for failures of the server.
  const refusals = declared.refuse ? { 503: UNAVAILABLE } : findRefusals(declared);
  return Object.fromEntries(
    Object.entries(refusals).map(([status, description]) => [
      status,
      { description, headers: z.object(commonHeaders(declared, status)), content },
    ]),
  );
}

const UNAVAILABLE = 'The gateway is temporarily unavailable. No money has moved';

/** Returns the reasons of refusals by status. Every operation has one below 500: at least 405 for another method. */
function findRefusals(declared: Route): Record<string, string> {
  const { access, body, query, params, idempotent, bucket, csv } = declared;
  const maxBytes = maxBytesOf(declared);
  const found: Record<string, string> = {
    ...((body || query || idempotent) && { 400: 'Bad request' }),
    ...(declared.changesState && {
      400: 'Bad request; prefetch_refused for a prefetch, because this GET changes state',
      405: 'HEAD is not allowed, because this GET changes state',
    }),
    ...(declared.isStream && { 405: 'HEAD is not allowed, because the answer is a stream' }),
    ...(needsToken(access) && {
      401: 'No valid token',
      403: access.kind === 'user' ? 'Not a person’s token' : 'The token lacks the scope',
    }),
    ...(params && { 404: 'Not found' }),
    ...(idempotent && { 409: 'Conflict', 422: 'Idempotency-Key reused' }),
    ...(declared.tagged &&
      declared.method !== 'GET' && { 412: 'precondition_failed: the resource has changed since you read it' }),
    ...((body ?? declared.bodyDoc) && {
      413: `The body is larger than ${maxBytes / 1_024} KiB, or has more than ${maxValuesOf(maxBytes)} values`,
      415: 'Not JSON',
    }),
    ...(bucket && { 429: csv ? 'too_many_requests; too_many_exports for a file' : 'Too many requests' }),
    503: UNAVAILABLE,
    ...declared.refusals,
  };
  return Object.keys(found).some((status) => status < '500') ? found : { 405: 'The method is not allowed', ...found };
}

/** Tags of operations for payers' browsers, people and monitoring. API clients do not call these operations. */
const EXCLUDED_TAGS = new Set(['Tokens', 'Checkout', 'Profile', 'Accounts', 'Status']);

/** Nouns that have their own group in `@balcao/client`. Other operations are in the group of their tag. */
const NOUNS = new RegExp(
  '(RailAccount|Reference|Link|Payment|Refund|Transaction|Settlement|' +
    'Terminal|Callback|Webhook|Merchant|Client|Notification|Event|Sms)',
);

/** Exceptions to the naming rule, which would give two operations one name, or an operation a poor name. */
const METHOD_NAMES: Record<string, string> = {
  createReferences: 'references.createBulk',
  replayCallbacks: 'callbacks.replayAll',
  enterCredits: 'settlements.enterCredits',
};

/**
 * Returns the method of the generated client for an operation. Null if the client has no such method.
 * Examples: `payments.create` for `createPayment`, `webhooks.get` for `readWebhook`, `sms.listSent` for `listSentSms`.
 */
function nameClientMethod(operationId: string, tag: string): string | null {
  if (EXCLUDED_TAGS.has(tag)) return null;
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(operationId) ?? [];
  const noun = NOUNS.exec(rest)?.[0];
  const plural = noun === 'Sms' ? 'sms' : `${noun}s`;
  const left = noun ? rest.replace(new RegExp(`${noun}(s(?![a-z]))?`), '') : rest;
  const own = noun ? plural[0]!.toLowerCase() + plural.slice(1) : tag.toLowerCase().replaceAll(' ', '');
  return METHOD_NAMES[operationId] ?? `${own}.${verb === 'read' ? 'get' : verb}${left}`;
}
