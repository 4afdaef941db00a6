// Files of other builds: what any node ever started with is served byte for byte by all, and guessing costs nothing.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanDaily } from '../../server/jobs/daily.ts';
import { compressAside, type Asset, type Assets } from '../../server/http/page.ts';
import { publishFiles, serveFiles } from '../../server/http/published.ts';
import { startTestApp, until, type TestApp } from '../support/app.ts';

let app: TestApp;
const closes: (() => unknown)[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  for (const close of closes) await close();
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
async function serveOther(assets: Assets, pool: object = app.node.core.pool, hear = () => {}): Promise<string> {
  const koa = new Koa();
  koa.use(serveFiles({ ...app.node.core, pool: pool as pg.Pool }, assets));
  const server = createServer(koa.callback() as RequestListener).prependListener('request', hear);
  closes.push(() => void (server.close(), server.closeAllConnections()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A node without files of its own: what it was asked, and what it asked of the database. */
async function serveCounted() {
  const { pool } = app.node.core;
  const counts = { requests: 0, queries: 0 };
  const query = (...given: unknown[]) => (counts.queries++, Reflect.apply(pool.query, pool, given));
  return { url: await serveOther(NOTHING, { query }, () => counts.requests++), counts };
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
    other = await buildOther('0.0.7-0a1b2c3d');
    await publishFiles(app.node.core, other);
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
    await app.clock.advance(1_000);
    const answer = await get(app.url + path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, kept]);
  });

  test('costs whoever guesses it no query: which paths there are is asked once a second', async () => {
    const { url, counts } = await serveCounted();
    await get(`${url}/widget/0.0.0-guess.js`);
    expect(counts.queries).toBe(1);
    const guesses = Array.from({ length: 50 }, (_, n) => get(`${url}/widget/0.0.${n}-guess.js`));
    await until(() => counts.requests === 51, 'all of them being asked');
    expect(counts.queries).toBe(1);
    await app.clock.advance(1_000);
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(302);
    expect(counts.queries).toBe(2);
    // Nor do many who want one file cost more than one, now or later.
    const { url: known } = (await (await get(`${app.url}/widget/latest.json`)).json()).script;
    await Promise.all(Array.from({ length: 20 }, () => get(url + known)));
    await get(url + known);
    expect(counts.queries).toBe(3);
    // What this release never names is not looked for at all.
    await app.clock.advance(1_000);
    await get(`${url}/widget/x.js`);
    await get(`${url}/nothing`);
    expect(counts.queries).toBe(3);
  });

  test('is found as soon as somebody has, however lately something was guessed', async () => {
    const { url, counts } = await serveCounted();
    const path = '/assets/checkout-0.1.0-0a1b2c3d.js';
    expect((await get(url + path)).status).toBe(404);
    const other = await buildOther('0.1.0-0a1b2c3d');
    await publishFiles(app.node.core, other);
    const wanted = get(url + path);
    await until(() => counts.requests === 2, 'its being asked');
    await app.clock.advance(1_000);
    const answer = await wanted;
    expect([answer.status, await answer.text()]).toEqual([200, other.text(path)]);
  });
});

describe('what other releases left is read', () => {
  /** So many files of so many bytes; what is returned asks for some, and answers how often the database was asked. */
  async function publish(release: string, count: number, size: number) {
    const paths = Array.from({ length: count }, (_, n) => `/assets/${release}-${n}.js`);
    const bytes = Buffer.alloc(size, 'pagamento ');
    const files = new Map(paths.map((path) => [path, { bytes } as Asset]));
    await publishFiles(app.node.core, { files, url: () => null });
    const { url, counts } = await serveCounted();
    return async (wanted = paths) => {
      const before = counts.queries;
      for (const path of wanted) expect((await get(url + path)).status).toBe(200);
      return counts.queries - before;
    };
  }

  test('once, and not again by whoever asks for the files of dozens of releases in turn', async () => {
    const read = await publish('many', 300, 10);
    expect(await read()).toBe(1 + 300);
    expect(await read()).toBe(0);
  });

  test('again when it was wanted longest ago: memory is bounded', async () => {
    const read = await publish('large', 4, 5_000_000);
    const [first, , , last] = [0, 1, 2, 3].map((n) => `/assets/large-${n}.js`) as [string, string, string, string];
    expect(await read()).toBe(1 + 4);
    expect(await read([last, last])).toBe(0);
    expect(await read([first, first])).toBe(1);
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
  await app.clock.advance(1_000);
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
