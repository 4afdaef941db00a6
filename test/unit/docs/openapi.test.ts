// The OpenAPI document: it builds from the declared routes alone, every `$ref` resolves, and hidden routes are absent.
import { z } from 'zod';
import { bodyOf } from '../../../server/webhooks/message.ts';
import { describeWebhooks, pprCallback, qrCallback } from '../../../server/webhooks/document.ts';
import { EVENT_TYPES } from '../../../server/webhooks/schemas.ts';
import { describe, expect, test } from 'vitest';
import { describeApi } from '../../../server/http/openapi.ts';
import { PROBLEMS } from '../../../shared/errors.ts';
import { GPO_METHODS, QR_SIZES, QR_TYPES } from '../../../shared/methods.ts';
import { isScope } from '../../../shared/scopes.ts';
import { declaredRoutes as routes } from '../../support/declared.ts';

// The test reads the document after JSON serialization, as callers receive it.
const document: any = JSON.parse(JSON.stringify(describeApi(routes, 'https://pay.example', describeWebhooks())));
const operations: any[] = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/** Resolves a `$ref`. */
function follow(node: any): any {
  if (!node?.$ref) return node;
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce((value: any, key: string) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return follow(found);
}

function* walk(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield node as Record<string, unknown>;
  for (const value of Object.values(node)) yield* walk(value);
}

/** Operations with secrets in requests or responses. They store no response, so an idempotency key has no effect. */
const CARRIES_SECRETS = new Set([
  'createWebhook',
  'rotateWebhookSecret',
  'createMerchant',
  'createClient',
  'rotateClientSecret',
  'changePassword',
  'enrolTotp',
  'confirmTotp',
  'disableTotp',
  'renewRecoveryCodes',
  'addRailAccount',
  'changeRailAccount',
]);

/** Operations that can be repeated without a further effect, so that they need no idempotency key. */
const REPEATABLE = new Set([
  'cancelRefund',
  'erasePersonalData',
  'exportPersonalData',
  'previewSms',
  'previewReferenceSms',
]);

describe('a route of the API', () => {
  test('is declared once with its own name', () => {
    const names = routes.map(({ operationId }) => operationId);
    const addresses = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
  });

  test.each(routes.map((declared) => [`${declared.method} ${declared.path}`, declared] as const))(
    '%s follows the conventions',
    (_name, { operationId, path, method, access, bucket, idempotent, changesState, params, answers }) => {
      const isApi = path.startsWith('/api/');
      // These operations change the caller's own user account.
      const isOwn = path.startsWith('/api/profile') || operationId === 'createMerchant';
      if (isApi) expect(access.kind).toBe(path.startsWith('/api/auth/') ? 'public' : isOwn ? 'user' : 'bearer');
      if (access.kind === 'bearer') {
        expect(isScope(access.scope)).toBe(true);
        expect(bucket).toMatch(/^(write|read|terminal)$/);
      }
      // Sync counts as a read and ignores idempotency keys, because it only queries the rail.
      const isRead = method === 'GET' || path.endsWith('/sync');
      const isTerminal = path.startsWith('/api/terminals/');
      if (isApi && access.kind !== 'public') expect(bucket).toBe(isTerminal ? 'terminal' : isRead ? 'read' : 'write');
      // A GET with an effect is marked, so that HEAD and prefetch cannot reach it.
      expect(changesState === true).toBe(isTerminal);
      expect(idempotent === true).toBe(
        isApi &&
          access.kind !== 'public' &&
          !isRead &&
          !CARRIES_SECRETS.has(operationId) &&
          !REPEATABLE.has(operationId),
      );
      expect(params !== undefined).toBe(path.includes('{'));
      expect(Object.keys(answers).some((status) => Number(status) < 400)).toBe(true);
    },
  );
});

describe('the document', () => {
  test('is OpenAPI 3.1, has version 0.1.0, and names the gateway’s URL', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('0.1.0');
    expect(document.servers).toEqual([{ url: 'https://pay.example' }]);
  });

  test('has every published route, and no route of pages or rails', () => {
    const published = routes.filter(({ isHidden }) => !isHidden).map(({ operationId }) => operationId);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(published.sort());
    expect(Object.keys(document.paths).filter((path) => /^\/(rails|metrics|sandbox|demo)/.test(path))).toEqual([]);
  });

  test('resolves every reference', () => {
    const references = [...walk(document)].filter(({ $ref }) => $ref !== undefined);
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((node) => follow(node) === undefined)).toEqual([]);
  });

  test('uses one schema name in requests and responses', () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(expect.arrayContaining(['Payment', 'ListedPayment', 'Problem', 'TokenRequest']));
    expect(names.filter((name) => /(Output|Input)$/.test(name))).toEqual([]);
  });

  test.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    'describes %s',
    (_name, { path, summary, description, tags, parameters = [], security, responses }) => {
      expect(tags).toHaveLength(1);
      expect(summary).toMatch(/^[A-Z]\S*.+[^.]$/);
      expect(description.length).toBeGreaterThanOrEqual(summary.length);
      const inPath = parameters.filter((entry: any) => entry.in === 'path');
      expect(inPath.map((entry: any) => `{${entry.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every((entry: any) => entry.required)).toBe(true);
      const statuses = Object.keys(responses);
      if (security.length > 0) expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429']));
      for (const status of statuses) expect(responses[status].description).toMatch(/\S/);
    },
  );

  test('names the schema of every JSON body and answer', () => {
    const bodies = operations.flatMap(({ requestBody, responses }) => [
      requestBody ?? {},
      ...Object.values<any>(responses),
    ]);
    const media = bodies.flatMap(({ content = {} }) => Object.entries<any>(content));
    const inline = media.filter(([type, { schema }]) => type.endsWith('json') && schema && !schema.$ref);
    expect(inline).toEqual([]);
  });

  test('declares the scope of each operation by OAuth2', () => {
    const { flows } = document.components.securitySchemes.oauth2;
    expect(Object.keys(flows)).toEqual(['clientCredentials', 'password']);
    const used = operations.flatMap(({ security }) => security.flatMap(({ oauth2 }: any) => oauth2));
    expect(new Set(used)).toEqual(new Set(Object.keys(flows.clientCredentials.scopes)));
    expect(document.paths['/api/payments'].post.security).toEqual([{ oauth2: ['payments:write'] }]);
  });

  test('lists the known values of a text to which later releases may add', () => {
    const { paymentMethod } = document.components.schemas.Payment.properties;
    expect(paymentMethod).toEqual({ type: 'string', 'x-extensible-enum': [...GPO_METHODS, 'reference'] });
  });

  test('describes refusals as problem+json with every code', () => {
    const { content } = document.paths['/api/payments'].post.responses['400'];
    expect(Object.keys(content)).toEqual(['application/problem+json']);
    const problem = follow(content['application/problem+json'].schema);
    expect(problem.properties.code.enum.sort()).toEqual(Object.keys(PROBLEMS).sort());
    expect(problem.required).toEqual(expect.arrayContaining(['type', 'title', 'status', 'detail', 'instance', 'code']));
  });
});

describe('POST /api/payments in the document', () => {
  const { post } = document.paths['/api/payments'] ?? {};
  const { oneOf } = follow(post.requestBody.content['application/json'].schema);
  const { metadata } = follow(oneOf[0]).properties;
  const shape = follow(metadata.anyOf?.find((entry: any) => entry.properties || entry.$ref) ?? metadata);

  test('allows requests without metadata or its fields', () => {
    expect(shape.required ?? []).toEqual([]);
    expect(shape.properties.custom.type).toEqual(['object', 'null']);
    expect(JSON.stringify(shape.properties.expiresInMinutes)).toMatch(/"minimum":5.*"maximum":1440/);
    // The server tolerates other types here; the document names the intended ones.
    expect(shape.properties.paymentMethod.type).toEqual(['string', 'null']);
    for (const name of GPO_METHODS) expect(shape.properties.paymentMethod.description).toContain(name);
    expect(shape.properties.authorizationId.description).toMatch(/internalId/);
  });

  test.each([
    [
      'qrSize',
      {
        type: ['string', 'null'],
        description: `Case-insensitive: ${Object.keys(QR_SIZES).join(', ')}`,
        default: 'MEDIUM',
      },
    ],
    [
      'qrType',
      { type: ['string', 'null'], description: `Case-insensitive: ${QR_TYPES.join(' or ')}`, default: 'STATIC' },
    ],
    ['maxTransactions', { type: ['integer', 'null'], minimum: 1, maximum: 10_000, default: 1 }],
    ['endDate', { type: ['string', 'null'] }],
  ])('has the bounds and the default of the QR code field %s', (name, expected) => {
    expect(shape.properties[name]).toMatchObject(expected);
    expect(shape.required ?? []).not.toContain(name);
  });

  test('returns a QR code as an image or as JSON', () => {
    expect(Object.keys(post.responses['200'].content)).toEqual(['image/png', 'image/svg+xml']);
    const { qrCode } = mergeAll(follow(post.responses['201'].content['application/json'].schema)).properties as any;
    expect(Object.keys(follow(qrCode).properties)).toEqual(['content', 'svg', 'deeplink']);
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['409', '503']));
    const prefer = post.parameters.find((entry: any) => entry.name === 'Prefer');
    expect(prefer.description).toMatch(/return=representation/);
  });
});

/** A schema with its extensions. */
function mergeAll(schema: any): { properties: Record<string, unknown>; required: string[] } {
  const parts = [schema, ...(schema.allOf ?? []).map((part: any) => mergeAll(follow(part)))];
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

test('the document has no `type` next to alternatives, and no bounds of JavaScript’s number type', () => {
  const nodes = [...walk(document)];
  expect(nodes.filter((node) => 'anyOf' in node && 'type' in node)).toEqual([]);
  expect(nodes.filter((node) => '$ref' in node && 'additionalProperties' in node)).toEqual([]);
  expect(
    nodes.filter((node) => Math.abs(Number(node['minimum'] ?? node['maximum'])) === Number.MAX_SAFE_INTEGER),
  ).toEqual([]);
});

describe('the webhooks in the OpenAPI document', () => {
  const { webhooks } = document;
  const eventOf = (name: string) => follow(webhooks[name].post.requestBody.content['application/json'].schema);

  test('contain each callback and the events of each subject', () => {
    const [ppr, qrcode, ...subjects] = Object.keys(webhooks);
    expect([ppr, qrcode]).toEqual(['callback.ppr', 'callback.qrcode']);
    const types = subjects.flatMap((subject) => eventOf(subject).properties.type.enum);
    expect(types.toSorted()).toEqual([...EVENT_TYPES, 'webhook.test'].toSorted());
  });

  test.each([
    ['payment.paid', { $ref: '#/components/schemas/Payment' }],
    ['refund.succeeded', { $ref: '#/components/schemas/Payment' }],
    ['reference.paid', { anyOf: [{ $ref: '#/components/schemas/Payment' }, { type: 'null' }] }],
    ['link.created', { type: 'null' }],
    ['webhook.test', { type: 'null' }],
  ])('declare the data of %s', (type, data) => {
    const { properties } = eventOf(type.replace(/\..*/, '.*'));
    expect(properties.type.enum).toContain(type);
    expect(properties.data).toMatchObject(data);
  });

  test.each([
    ['callback.ppr', pprCallback],
    ['callback.qrcode', qrCallback],
  ])('describe exactly the fields that the gateway sends in %s', (type, schema) => {
    const delivery = { id: 'd', kind: 'test', type, createdAt: new Date(0), money: null } as const;
    expect(z.strictObject(schema.shape).safeParse(bodyOf(delivery).body).error).toBeUndefined();
  });
});
