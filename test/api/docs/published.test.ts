// Files of other builds: a node also serves the files that another node has published.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Koa from 'koa';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanDaily } from '../../../server/jobs/daily.ts';
import { createLimits, type Limits } from '../../../server/http/limits.ts';
import { publishFiles, serveFiles, type Asset, type Assets } from '../../../server/http/pages.ts';
import { catchProblems } from '../../../server/http/problem.ts';
import { startTestApp, until, type TestApp } from '../../support/app.ts';
import { listen } from '../../support/listen.ts';
import { DAY_MS } from '../../../shared/durations.ts';

let app: TestApp;
const closes: (() => unknown)[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  for (const close of closes) await close();
});

const FOREVER = 'public, max-age=31536000, immutable';
const type = 'text/javascript; charset=utf-8';
const NOTHING: Assets = { files: new Map(), url: () => null };

/** The files of another build: a widget version, a script of the pages, and a file without a version. */
function buildOther(version: string): Assets & { text: (path: string) => string } {
  const texts = new Map([
    [`/widget/${version}.js`, `/* ${version} */ console.log('${'pagamento '.repeat(200)}')`],
    [`/assets/checkout-${version}.js`, `export const version = '${version}'`],
    ['/widget.js', 'the newest of that release'],
  ]);
  const files = [...texts].map(([path, text]): [string, Asset] => {
    const bytes = Buffer.from(text);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return [path, { bytes, type, etag, brotli: brotliCompressSync(bytes), gzip: gzipSync(bytes) }];
  });
  return { files: new Map(files), url: () => null, text: (path) => texts.get(path) ?? '' };
}

type Serving = { assets: Assets; pool?: pg.Pool; limits?: Limits };

/** Serves the files of a build like a node on the same database, or on another `pool`. */
async function serve({ assets, pool = app.node.core.pool, limits }: Serving): Promise<string> {
  const koa = new Koa();
  koa.use(
    catchProblems(
      () => app.url,
      () => {},
    ),
  );
  koa.use(serveFiles({ ...app.node.core, pool, limits: limits ?? (await createLimits(app.node.core.config)) }, assets));
  const server = createServer(koa.callback() as RequestListener);
  closes.push(() => void (server.close(), server.closeAllConnections()));
  return listen(server);
}

/** Reads the bytes as they are sent. `fetch` would decompress them. */
async function getRaw(url: string, headers: Record<string, string>) {
  const [answer] = (await once(request(url, { headers }).end(), 'response')) as [IncomingMessage];
  const encoding = answer.headers['content-encoding'];
  return { status: answer.statusCode, headers: answer.headers, encoding, bytes: Buffer.concat(await answer.toArray()) };
}

const get = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

describe('a published file of another build', () => {
  const widget = '/widget/0.0.7-0a1b2c3d.js';
  const other = buildOther('0.0.7-0a1b2c3d');
  beforeAll(() => publishFiles(app.node.core, other));

  test.each([widget, '/assets/checkout-0.0.7-0a1b2c3d.js'])(
    'has the same bytes and headers as on a node of that build: %s',
    async (path) => {
      const there = await get((await serve({ assets: other })) + path);
      const here = await get(app.url + path);
      expect([here.status, await here.text()]).toEqual([200, other.text(path)]);
      for (const name of ['cache-control', 'etag', 'content-type', 'access-control-allow-origin', 'vary'])
        expect([name, here.headers.get(name)]).toEqual([name, there.headers.get(name)]);
      expect(here.headers.get('cache-control')).toBe(FOREVER);
      expect(here.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    },
  );

  test('is compressed by brotli or gzip', async () => {
    const [br, gzip, plain] = await Promise.all(
      ['br, gzip', 'gzip', 'identity'].map((encoding) => getRaw(app.url + widget, { 'accept-encoding': encoding })),
    );
    expect([br!.encoding, gzip!.encoding, plain!.encoding]).toEqual(['br', 'gzip', undefined]);
    const texts = [brotliDecompressSync(br!.bytes), gunzipSync(gzip!.bytes), plain!.bytes].map(String);
    expect(texts).toEqual(Array(3).fill(other.text(widget)));
    expect(br!.bytes.length).toBeLessThan(plain!.bytes.length / 4);
  });

  test('returns 304 for its ETag, accepts HEAD, and returns 404 to POST', async () => {
    const etag = (await get(app.url + widget)).headers.get('etag')!;
    const again = await getRaw(app.url + widget, { 'if-none-match': etag });
    expect([again.status, again.headers['cache-control'], again.bytes.length]).toEqual([304, FOREVER, 0]);
    const head = await get(app.url + widget, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
    expect((await get(app.url + widget, { method: 'POST' })).status).toBe(404);
  });

  test('is stored only if its name has a version', async () => {
    expect(await app.sql(`select path from published_files where path = '/widget.js'`)).toEqual([]);
    expect(await (await get(`${app.url}/widget.js`)).text()).not.toBe(other.text('/widget.js'));
  });
});

test('a starting node publishes the files that its pages use', async () => {
  const latest = await (await get(`${app.url}/widget/latest.json`)).json();
  const elsewhere = await serve({ assets: NOTHING });
  const rows = await app.sql<{ path: string }>('select path from published_files');
  const named = ['script', 'module', 'loader'].map((part) => latest[part].url);
  expect(rows.map(({ path }) => path)).toEqual(expect.arrayContaining(named));
  expect(rows.filter(({ path }) => path.startsWith('/assets/')).length).toBeGreaterThan(3);
  for (const { path } of rows) {
    const [own, other] = await Promise.all([getRaw(app.url + path, {}), getRaw(elsewhere + path, {})]);
    expect([path, other.status, other.bytes.equals(own.bytes)]).toEqual([path, 200, true]);
  }
});

describe('a file that no node has published', () => {
  test.each([
    ['/widget/0.0.9-00000000.js', 302],
    ['/assets/checkout-00000000.js', 404],
  ])('has a response that no cache stores: %s', async (path, status) => {
    const answer = await get(app.url + path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
  });

  test('is served after a node publishes it', async () => {
    const url = await serve({ assets: NOTHING });
    const path = '/assets/checkout-0.1.0-0a1b2c3d.js';
    expect((await get(url + path)).status).toBe(404);
    const other = buildOther('0.1.0-0a1b2c3d');
    await publishFiles(app.node.core, other);
    expect(await (await get(url + path)).text()).toBe(other.text(path));
  });

  test('counts against the limit of public requests, so that guessed names return 429', async () => {
    const limits = await createLimits({ ...app.node.core.config, RATE_LIMIT_PUBLIC: 2 });
    const own = buildOther('2.0.0-0a1b2c3d');
    const url = await serve({ assets: own, limits });
    const guess = async (nth: number) => (await get(`${url}/assets/guess-${nth}.js`)).status;
    expect([await guess(1), await guess(2), await guess(3)]).toEqual([404, 404, 429]);
    expect((await get(`${url}/widget/2.0.0-0a1b2c3d.js`)).status).toBe(200);
  });
});

test('a node without its database sends its own files, and no files of other builds', async () => {
  const pool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:9/away' });
  closes.push(() => pool.end());
  const url = await serve({ assets: buildOther('3.0.0-0a1b2c3d'), pool });
  expect((await get(`${url}/widget/3.0.0-0a1b2c3d.js`)).status).toBe(200);
  const other = await get(`${url}/widget/0.0.7-0a1b2c3d.js`);
  expect([other.status, other.headers.get('cache-control')]).toEqual([302, 'no-store']);
  expect((await get(`${url}/assets/checkout-0.0.7-0a1b2c3d.js`)).status).toBe(404);
});

test('the daily cleaning deletes files two years after a node last published them', async () => {
  const { core } = app.node;
  const publishBefore = (days: number, version: string) => {
    const now = () => new Date(app.clock.now().getTime() - days * DAY_MS);
    return publishFiles({ ...core, clock: { ...core.clock, now } }, buildOther(version));
  };
  await publishBefore(731, '0.0.1-gone');
  await publishBefore(729, '0.0.2-kept');
  await publishBefore(731, '0.0.3-again');
  await publishFiles(core, buildOther('0.0.3-again'));
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
