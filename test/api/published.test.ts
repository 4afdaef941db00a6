// Files of other builds: what any node ever started with is served byte for byte by all, and guessing costs nothing.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanDaily } from '../../server/due/daily.ts';
import { compressAside, type Assets } from '../../server/http/page.ts';
import { publishFiles, serveFiles } from '../../server/http/published.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';

let app: TestApp;
const closes: (() => unknown)[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  for (const close of closes) await close();
  await app?.stop();
});

const DAY_MS = 24 * 3_600_000;
const FOREVER = 'public, max-age=31536000, immutable';
const SCRIPT = 'text/javascript; charset=utf-8';

/** What another release was built to: its widget as it is addressed, and a script of its pages. */
async function buildOther(version: string): Promise<Assets & { text: (path: string) => string }> {
  const texts = new Map([
    [`/widget/${version}.js`, `/* ${version} */ console.log('${'pagamento '.repeat(200)}')`],
    [`/assets/checkout-${version}.js`, `export const version = '${version}'`],
    ['/widget.js', 'the newest of that release'],
  ]);
  const files = await Promise.all(
    [...texts].map(async ([path, text]) => [path, await compressAside(Buffer.from(text), SCRIPT)] as const),
  );
  return { files: new Map(files), url: () => null, text: (path) => texts.get(path) ?? '' };
}

/** A release's files on the same database, as a node of it that has just started; `pool` in the place of its own. */
async function serveOther(assets: Assets, pool: object = app.node.core.pool): Promise<string> {
  const koa = new Koa();
  koa.use(serveFiles({ ...app.node.core, pool: pool as pg.Pool }, assets));
  const server = createServer(koa.callback() as RequestListener);
  closes.push(() => void (server.close(), server.closeAllConnections()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As it crosses the line: `fetch` unpacks what it gets, and asks for no part of it to be kept. */
async function getRaw(url: string, headers: Record<string, string>) {
  const [answer] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
  const encoding = answer.headers['content-encoding'];
  return { status: answer.statusCode, headers: answer.headers, encoding, bytes: Buffer.concat(await answer.toArray()) };
}

const get = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
const BROTLI = { 'accept-encoding': 'br' };
const NOTHING: Assets = { files: new Map(), url: () => null };

describe('a file of another release', () => {
  const widget = '/widget/0.0.7-0a1b2c3d.js';
  let other: Awaited<ReturnType<typeof buildOther>>;
  beforeAll(async () => {
    // Asked for before it was published: that there was nothing is soon forgotten.
    expect((await get(app.url + widget)).status).toBe(302);
    other = await buildOther('0.0.7-0a1b2c3d');
    await publishFiles(app.node.core, other);
    await app.clock.advance(1_000);
  });

  test.each([widget, '/assets/checkout-0.0.7-0a1b2c3d.js'])('%s is sent as that release did', async (path) => {
    const there = await get((await serveOther(other)) + path);
    const here = await get(app.url + path);
    expect([here.status, await here.text()]).toEqual([200, other.text(path)]);
    for (const name of ['cache-control', 'etag', 'content-type', 'access-control-allow-origin', 'vary'])
      expect([name, here.headers.get(name)]).toEqual([name, there.headers.get(name)]);
    expect(here.headers.get('cache-control')).toBe(FOREVER);
    expect(here.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  test('is what a page that pinned it holds it to', async () => {
    const hashOf = (bytes: ArrayBuffer | string) =>
      createHash('sha384')
        .update(Buffer.from(bytes as string))
        .digest('base64');
    const answer = await get(app.url + widget);
    expect(hashOf(await answer.arrayBuffer())).toBe(hashOf(other.text(widget)));
  });

  test('is compressed for whoever understands it', async () => {
    const [br, gzip, plain] = await Promise.all(
      ['br, gzip', 'gzip', 'identity'].map((encoding) => getRaw(app.url + widget, { 'accept-encoding': encoding })),
    );
    expect([br!.encoding, gzip!.encoding, plain!.encoding]).toEqual(['br', 'gzip', undefined]);
    const texts = [brotliDecompressSync(br!.bytes), gunzipSync(gzip!.bytes), plain!.bytes].map(String);
    expect(texts).toEqual(Array(3).fill(other.text(widget)));
    expect(br!.bytes.length).toBeLessThan(plain!.bytes.length / 4);
  });

  test('is not sent again to whoever has it, and its head alone when that is asked for', async () => {
    const etag = (await get(app.url + widget)).headers.get('etag')!;
    const again = await getRaw(app.url + widget, { 'if-none-match': etag });
    expect([again.status, again.headers['cache-control'], again.bytes.length]).toEqual([304, FOREVER, 0]);
    const head = await get(app.url + widget, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
    expect((await get(app.url + widget, { method: 'POST' })).status).toBe(404);
  });

  test('stands in for nothing of this one: what has no version is each release’s own', async () => {
    expect(await app.sql(`select path from published_files where path = '/widget.js'`)).toEqual([]);
    expect(await (await get(`${app.url}/widget.js`)).text()).not.toBe(other.text('/widget.js'));
  });
});

test('a node that starts publishes what its pages name: another, without it, sends it', async () => {
  const latest = await (await get(`${app.url}/widget/latest.json`)).json();
  const elsewhere = await serveOther(NOTHING);
  const rows = await app.sql<{ path: string; seen_at: Date }>('select path, seen_at from published_files');
  const named = ['script', 'module', 'loader'].map((part) => latest[part].url);
  expect(rows.map(({ path }) => path)).toEqual(expect.arrayContaining(named));
  expect(rows.filter(({ path }) => path.startsWith('/assets/')).length).toBeGreaterThan(3);
  for (const { path } of rows) {
    const [own, other] = await Promise.all([getRaw(app.url + path, BROTLI), getRaw(elsewhere + path, BROTLI)]);
    expect([path, other.encoding, other.bytes.equals(own.bytes)]).toEqual([path, 'br', true]);
  }
});

describe('what nobody published', () => {
  test.each([
    ['/widget/0.0.9-00000000.js', 302, 'no-store'],
    ['/assets/checkout-00000000.js', 404, 'no-store'],
  ])('%s is no answer to keep: the node that brings it may be starting', async (path, status, kept) => {
    const answer = await get(app.url + path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, kept]);
  });

  test('costs whoever guesses it no query: which paths there are is asked once a second', async () => {
    const { pool } = app.node.core;
    const asked: string[] = [];
    const counting = {
      query(statement: string | { text: string }, ...rest: unknown[]) {
        asked.push(typeof statement === 'string' ? statement : statement.text);
        return Reflect.apply(pool.query, pool, [statement, ...rest]);
      },
    };
    const url = await serveOther(NOTHING, counting);
    const guess = () => Promise.all(Array.from({ length: 50 }, (_, n) => get(`${url}/widget/0.0.${n}-guess.js`)));
    await guess();
    await guess();
    expect(asked).toEqual(['select path from published_files']);
    await app.clock.advance(1_000);
    await guess();
    expect(asked).toHaveLength(2);
    // Nor do many who want one file cost more than one, now or later.
    const { url: known } = (await (await get(`${app.url}/widget/latest.json`)).json()).script;
    await Promise.all(Array.from({ length: 20 }, () => get(url + known)));
    await get(url + known);
    expect(asked).toHaveLength(3);
    // What this release never names is not looked for at all.
    await app.clock.advance(1_000);
    await get(`${url}/widget/x.js`);
    await get(`${url}/nothing`);
    expect(asked).toHaveLength(3);
  });
});

test('while the database is away a node sends what it has, and of the rest what it would without it', async () => {
  const away = new pg.Pool({ connectionString: 'postgres://127.0.0.1:9/away' });
  closes.push(() => away.end());
  const own = await buildOther('3.0.0-0a1b2c3d');
  const url = await serveOther(own, away);
  expect((await get(`${url}/widget/3.0.0-0a1b2c3d.js`)).status).toBe(200);
  const other = await get(`${url}/widget/0.0.7-0a1b2c3d.js`);
  expect([other.status, other.headers.get('cache-control')]).toEqual([302, 'no-store']);
  expect((await get(`${url}/assets/checkout-0.0.7-0a1b2c3d.js`)).status).toBe(404);
});

test('two years after a node last started with them files are deleted, and not those of this build', async () => {
  const { core } = app.node;
  await publishFiles({ ...core, clock: { ...core.clock, now: () => before(731) } }, await buildOther('0.0.1-gone'));
  await publishFiles({ ...core, clock: { ...core.clock, now: () => before(729) } }, await buildOther('0.0.2-kept'));
  // Seen again: a node of that release started anew.
  await publishFiles({ ...core, clock: { ...core.clock, now: () => before(731) } }, await buildOther('0.0.3-again'));
  await publishFiles(core, await buildOther('0.0.3-again'));
  const ended = new AbortController();
  const cleaning = cleanDaily({ ...core, stopping: ended.signal });
  const left = async () =>
    (await app.sql<{ path: string }>('select path from published_files')).map(({ path }) => path);
  await until(async () => !(await left()).includes('/widget/0.0.1-gone.js'), 'the old one being deleted');
  ended.abort();
  await cleaning;
  expect(await left()).not.toContain('/assets/checkout-0.0.1-gone.js');
  const { url } = (await (await get(`${app.url}/widget/latest.json`)).json()).script;
  expect(await left()).toEqual(expect.arrayContaining(['/widget/0.0.2-kept.js', '/widget/0.0.3-again.js', url]));
});

const before = (days: number) => new Date(app.clock.now().getTime() - days * DAY_MS);
