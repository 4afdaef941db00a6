// Every response of a deprecated route and the OpenAPI document announce its end (docs/versioning.md).
import Koa from 'koa';
import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../../server/http/openapi.ts';
import { catchProblems } from '../../../server/http/problem.ts';
import { createRouter, route, type RequestServices, type Route } from '../../../server/http/route.ts';
import { listen } from '../../support/listen.ts';

const common = { method: 'GET', tag: 'Status', access: { kind: 'public' }, bucket: null, summary: 'A word' } as const;
const query = z.object({ lang: z.enum(['pt']).optional() });
const answers = { 200: { description: 'It', schema: z.object({ ok: z.boolean() }) } };
const run = () => ({ status: 200, body: { ok: true } });
const old = route({
  ...common,
  path: '/old',
  operationId: 'readOld',
  query,
  answers,
  run,
  deprecated: { since: '2026-12-01', sunset: '2027-12-01', link: 'https://pay.example/docs' },
});
const lasting = route({ ...common, path: '/lasting', operationId: 'readLasting', query, answers, run });

async function serve(routes: Route[]): Promise<string> {
  const app = new Koa();
  app.use(
    catchProblems(
      () => 'https://pay.example',
      () => {},
    ),
  );
  const services = { lag: { isOverloaded: () => false } } as RequestServices;
  app.use(createRouter(routes, services).routes() as Koa.Middleware);
  const server = createServer(app.callback() as RequestListener);
  onTestFinished(() => void server.close());
  return listen(server);
}

const NAMES = ['deprecation', 'sunset', 'link'];

test.each([
  [200, ''],
  [400, '?lang=xx'],
])('a response %i of a deprecated route has headers with its dates and a link', async (status, asked) => {
  const url = await serve([old, lasting]);
  const { headers, ...reply } = await fetch(`${url}/old${asked}`).then(({ status, headers }) => ({ status, headers }));
  expect(reply.status).toBe(status);
  expect(NAMES.map((name) => headers.get(name))).toEqual([
    '@1796083200',
    'Wed, 01 Dec 2027 00:00:00 GMT',
    '<https://pay.example/docs>; rel="deprecation"; type="text/html"',
  ]);
  const other = await fetch(`${url}/lasting${asked}`);
  expect(NAMES.map((name) => other.headers.get(name))).toEqual([null, null, null]);
});

test('the OpenAPI document marks a deprecated route and its headers', () => {
  const { paths } = describeApi([old, lasting], 'https://pay.example') as any;
  expect(paths['/old'].get.deprecated).toBe(true);
  expect(Object.keys(paths['/old'].get.responses[200].headers)).toEqual(
    expect.arrayContaining(['Deprecation', 'Sunset', 'Link']),
  );
  expect(paths['/lasting'].get.deprecated).toBeUndefined();
  expect(Object.keys(paths['/lasting'].get.responses[200].headers)).toEqual(['X-Request-Id']);
});
