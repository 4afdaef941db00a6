// The interface document: it builds from the declared routes alone, every reference in it leads somewhere, and nothing hidden shows.
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

// Through JSON, as it is sent.
const document: any = JSON.parse(JSON.stringify(describeApi(routes, 'https://pay.example', describeWebhooks())));
const operations: any[] = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/** What a `$ref` leads to. */
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

/** What is answered with a secret, or sent with one, is not kept, not even as a digest: a key would be worth nothing. */
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

/** What may be asked as often as one likes, with one effect: keys would add nothing. */
const REPEATABLE = new Set(['cancelRefund', 'erasePersonalData', 'exportPersonalData', 'previewSms']);

describe('routes', () => {
  test('each is declared once, with a name of its own', () => {
    const names = routes.map(({ operationId }) => operationId);
    const addresses = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
  });

  test.each(routes.map((declared) => [`${declared.method} ${declared.path}`, declared] as const))(
    '%s keeps the rules of the house',
    (_name, { operationId, path, method, access, bucket, idempotent, changesState, params, answers }) => {
      const isApi = path.startsWith('/api/');
      // About the person who asks.
      const isOwn = path.startsWith('/api/profile') || operationId === 'createMerchant';
      if (isApi) expect(access.kind).toBe(path.startsWith('/api/auth/') ? 'public' : isOwn ? 'user' : 'bearer');
      if (access.kind === 'bearer') {
        expect(isScope(access.scope)).toBe(true);
        expect(bucket).toMatch(/^(write|read|terminal)$/);
      }
      // Reads and sync count as reads; sync ignores keys (decisions §1, §2).
      const isRead = method === 'GET' || path.endsWith('/sync');
      const isTerminal = path.startsWith('/api/terminals/');
      if (isApi && access.kind !== 'public') expect(bucket).toBe(isTerminal ? 'terminal' : isRead ? 'read' : 'write');
      // A GET with an effect says so, so that nobody reaches it by HEAD or ahead of a person (decisions §6).
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
  test('is OpenAPI 3.1 of version 0.1.0, served where the gateway is reached', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('0.1.0');
    expect(document.servers).toEqual([{ url: 'https://pay.example' }]);
  });

  test('has the paths of payments, terminals and tokens (decisions §3, §5, §6)', () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/api/payments',
        '/api/payments/{paymentId}',
        '/api/payments/{paymentId}/events',
        '/api/payments/{paymentId}/sync',
        '/api/payments/{internalPaymentId}/cancel',
        '/api/payments/{paymentId}/qrcode',
        '/api/terminals/{posId}',
        '/api/terminals/{posId}/open',
        '/api/terminals/{posId}/close',
        '/oauth/token',
      ]),
    );
    expect(Object.keys(document.paths['/api/payments'])).toEqual(['post', 'get']);
  });

  test('shows every published route, and no page or rail', () => {
    const published = routes.filter(({ isHidden }) => !isHidden).map(({ operationId }) => operationId);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(published.sort());
    expect(Object.keys(document.paths).filter((path) => /^\/(rails|metrics|sandbox|demo)/.test(path))).toEqual([]);
  });

  test('every reference leads somewhere', () => {
    const references = [...walk(document)].filter(({ $ref }) => $ref !== undefined);
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((node) => follow(node) === undefined)).toEqual([]);
  });

  test('a schema has one name, whichever way it travels', () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(expect.arrayContaining(['Payment', 'ListedPayment', 'Problem', 'TokenRequest']));
    expect(names.filter((name) => /(Output|Input)$/.test(name))).toEqual([]);
  });

  test.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s describes itself',
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

  test('refusals are problem+json, with every code there is', () => {
    const { content } = document.paths['/api/payments'].post.responses['400'];
    expect(Object.keys(content)).toEqual(['application/problem+json']);
    const problem = follow(content['application/problem+json'].schema);
    expect(problem.properties.code.enum.sort()).toEqual(Object.keys(PROBLEMS).sort());
    expect(problem.required).toEqual(expect.arrayContaining(['type', 'title', 'status', 'detail', 'instance', 'code']));
  });
});

describe('creating a payment', () => {
  const { post } = document.paths['/api/payments'] ?? {};
  const { oneOf, discriminator } = follow(post.requestBody.content['application/json'].schema);
  const [body, byReference] = oneOf.map(follow);

  test('the request: what is required, and of which type', () => {
    expect(post.requestBody.required).toBe(true);
    expect([...body.required].sort()).toEqual(['amount', 'currency', 'paymentType', 'reference']);
    expect(body.properties.amount.type).toBe('number');
    expect(discriminator).toEqual({
      propertyName: 'paymentType',
      mapping: { GPO: '#/components/schemas/GpoCreation', PPR: '#/components/schemas/PprCreation' },
    });
  });

  test('the request of a reference: an amount and digits may be left out', () => {
    expect([...byReference.required].sort()).toEqual(['currency', 'paymentType']);
    expect(byReference.properties.paymentType).toMatchObject({ const: 'PPR' });
    const metadata = byReference.properties.metadata;
    const shape = follow(metadata.anyOf.find((entry: any) => entry.properties || entry.$ref));
    expect(shape.required ?? []).toEqual([]);
    expect(shape.properties.referenceType).toMatchObject({ type: ['string', 'null'], default: 'Dynamic' });
    expect(shape.properties.referenceType.description).toBe('Case-insensitive: Dynamic or Charging');
    expect(Object.keys(shape.properties)).toEqual(
      expect.arrayContaining([
        'expiryDate',
        'customerEmail',
        'customerName',
        'customerTelephone',
        'documentNumber',
        'custom',
      ]),
    );
  });

  test('the request: metadata may be left out, and so may all that is in it', () => {
    const metadata = body.properties.metadata;
    const shape = follow(metadata.anyOf?.find((entry: any) => entry.properties || entry.$ref) ?? metadata);
    expect(shape.required ?? []).toEqual([]);
    expect(Object.keys(shape.properties)).toEqual(
      expect.arrayContaining([
        'paymentMethod',
        'phoneNumber',
        'provider',
        'gpo_merchant_id',
        'gpo_pos_id',
        'description',
        'custom',
      ]),
    );
    expect(shape.properties.custom.type).toEqual(['object', 'null']);
    expect(JSON.stringify(shape.properties.expiresInMinutes)).toMatch(/"minimum":5.*"maximum":1440/);
    // The server is tolerant here, and so is the document: it names what is meant to be sent.
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
  ])('the request: %s of a QR code, with its bounds and default', (name, expected) => {
    const metadata = body.properties.metadata;
    const shape = follow(metadata.anyOf?.find((entry: any) => entry.properties || entry.$ref) ?? metadata);
    expect(shape.properties[name]).toMatchObject(expected);
    expect(shape.required ?? []).not.toContain(name);
  });

  test('a QR code is answered as an image, or as JSON with its content', () => {
    expect(Object.keys(post.responses['200'].content)).toEqual(['image/png', 'image/svg+xml']);
    const { qrCode } = mergeAll(follow(post.responses['201'].content['application/json'].schema)).properties as any;
    expect(Object.keys(qrCode.properties)).toEqual(['content', 'svg', 'deeplink']);
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['409', '503']));
    const prefer = post.parameters.find((entry: any) => entry.name === 'Prefer');
    expect(prefer.description).toMatch(/return=representation/);
  });

  test('takes an Idempotency-Key', () => {
    const header = post.parameters.find((entry: any) => entry.in === 'header');
    expect(header).toMatchObject({ name: 'Idempotency-Key', schema: { type: 'string', maxLength: 255 } });
    expect(header.required ?? false).toBe(false);
  });

  test('the answer has every field of decisions §3, always there and null when absent', () => {
    const payment = follow(post.responses['201'].content['application/json'].schema);
    const fields =
      `id internalId merchantId entity reference amount currency paymentType status createdAt expiresAt completedAt
      description customer customMetadata customerEmail customerName customerTelephone documentNumber paymentMethod
      amountPaid transactions failure flags checkoutUrl clientToken authorizationId amountAuthorized amountCaptured
      operation maxTransactions acceptedTransactions late replacedBy replaces`.split(/\s+/);
    const { properties, required } = mergeAll(payment);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(fields));
    expect(required).toEqual(expect.arrayContaining(fields));
  });
});

/** A schema with what it extends. */
function mergeAll(schema: any): { properties: Record<string, unknown>; required: string[] } {
  const parts = [schema, ...(schema.allOf ?? []).map((part: any) => mergeAll(follow(part)))];
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

test('no type stands beside a choice of others, and JavaScript’s own bounds are nobody’s rule', () => {
  const nodes = [...walk(document)];
  expect(nodes.filter((node) => 'anyOf' in node && 'type' in node)).toEqual([]);
  expect(nodes.filter((node) => '$ref' in node && 'additionalProperties' in node)).toEqual([]);
  expect(
    nodes.filter((node) => Math.abs(Number(node['minimum'] ?? node['maximum'])) === Number.MAX_SAFE_INTEGER),
  ).toEqual([]);
});

describe('what merchants’ servers are called with', () => {
  const { webhooks } = document;

  test('is each callback and each event, once', () => {
    expect(Object.keys(webhooks)).toEqual(['callback.ppr', 'callback.qrcode', ...EVENT_TYPES]);
    expect(webhooks['payment.paid'].post.requestBody.content['application/json'].schema.properties.type).toMatchObject({
      const: 'payment.paid',
    });
  });

  test.each([
    ['callback.ppr', pprCallback],
    ['callback.qrcode', qrCallback],
  ])('%s has the fields that are sent, and no others', (type, schema) => {
    const delivery = { id: 'd', kind: 'test', type, createdAt: new Date(0), money: null } as const;
    expect(z.strictObject(schema.shape).safeParse(bodyOf(delivery).body).error).toBeUndefined();
  });
});
