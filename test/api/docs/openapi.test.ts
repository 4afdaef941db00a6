// GET /openapi.json describes every published route, and the routes accept the described request bodies.
// test/support/contract.ts compares the responses of all API tests. test/unit/docs checks the document's rules.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { declaredRoutes } from '../../support/declared.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { webframe } from '../../support/payments.ts';
import { byReference, PPR } from '../../support/ppr.ts';

let app: TestApp;
let document: any;
beforeAll(async () => {
  app = await startTestApp();
  const reply = await app.call('/openapi.json', { token: null });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  document = reply.json;
});

describe('GET /openapi.json', () => {
  test('describes every published route of the node, and no other route', () => {
    const namesOf = (routes: typeof declaredRoutes) =>
      routes.flatMap(({ isHidden, method, path }) => (isHidden ? [] : [`${method} ${path}`])).toSorted();
    const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(namesOf(app.node.app.routes));
    // The unit tests of the document read the declared routes, so these must be the node's routes.
    expect(namesOf(declaredRoutes)).toEqual(namesOf(app.node.app.routes));
    expect(document.servers).toEqual([{ url: app.node.core.publicUrl }]);
  });

  test('describes request bodies that the operations accept', async () => {
    const resolve = (pointer: string) => {
      const keys = pointer.slice(2).split('/');
      return keys.reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
    };
    const inline = (schema: object): any =>
      JSON.parse(JSON.stringify(schema), (_key, value) => (value?.$ref ? inline(resolve(value.$ref)) : value));
    const faultsOf = (path: string, body: object) => {
      const { schema } = document.paths[path].post.requestBody.content['application/json'];
      return z.fromJSONSchema(inline(schema)).safeParse(body).error?.issues ?? [];
    };
    const single = { amount: 1, reference: '012345678', expiryDate: '2027-01-31', customMetadata: { a: 1 } };
    const bodies: [string, object][] = [
      [PPR, single],
      [PPR, { referenceType: 'Charging' }],
      [`${PPR}/legacy`, { ...single, reference: '112345678' }],
      [`${PPR}/bulk`, { references: [{ amount: 1 }, { referenceType: 'Charging' }] }],
      ['/api/payments', byReference({ customerEmail: 'a@b.c', custom: {} }, { reference: '' })],
      ['/api/payments', webframe()],
    ];
    for (const [path, body] of bodies) {
      expect([path, faultsOf(path, body)]).toEqual([path, []]);
      expect((await app.call(path, { body })).status).toBe(201);
    }
    expect((await app.call(PPR, { body: { amount: 1, reference: '1' } })).status).toBe(400);
    expect((await app.call(`${PPR}/bulk`, { body: { references: [] } })).status).toBe(400);
  });
});
