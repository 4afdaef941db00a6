// HTML pages with a strict content security policy, built files, and error pages for browsers.
// Built files are compressed once. The database has the files of other builds.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import type { Clock } from '../clock.ts';
import { CannotStart } from '../config.ts';
import { prepared, query, type Db } from '../database/db.ts';
import { clientAddress, consumeLimit, type Limits } from './limits.ts';
import { etagOf } from './precondition.ts';

export type Asset = { bytes: Buffer; brotli: Buffer; gzip: Buffer; type: string; etag: string };

export type Assets = {
  /** The built files by their URL paths. */
  files: ReadonlyMap<string, Asset>;
  /** Returns the URL of a built entry by its source path. Null if the entry was not built. */
  url(entry: string): string | null;
};

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.zip': 'application/zip',
};

/** Compresses a file in another thread, so that it delays no request. @param brotli the quality, from 0 to 11 */
async function compress(bytes: Buffer, type: string, brotli: number): Promise<Asset> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotli };
  const work = [promisify(brotliCompress)(bytes, { params }), promisify(gzip)(bytes)] as const;
  const [small, gzipped] = await Promise.all(work);
  return { bytes, type, brotli: small, gzip: gzipped, etag: etagOf(bytes) };
}

/** Writes each page once and keeps it compressed. The caller limits the number of names. */
export function createPageCache(): (name: string, type: string, write: () => string) => Promise<Asset> {
  const made = new Map<string, Promise<Asset>>();
  return (name, type, write) => {
    const page = made.get(name) ?? compress(Buffer.from(write()), `${type}; charset=utf-8`, 11);
    made.set(name, page);
    return page;
  };
}

/**
 * Reads the built files of `dist/client`, `dist/widget` and `dist/downloads` into memory, a few hundred kilobytes.
 * Each file has a `.br` and a `.gz` version in the same folder (vite.config.ts).
 * @throws Error if a compressed file is missing
 */
export function loadAssets(distDir: string): Assets {
  const files = new Map<string, Asset>();
  const add = (folder: string, prefix: string) => {
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type) files.set(prefix + name, readAsset(join(folder, name), type));
    }
  };
  add(join(distDir, 'client', 'assets'), '/assets/');
  add(join(distDir, 'widget'), '/');
  add(join(distDir, 'widget', 'widget'), '/widget/');
  add(join(distDir, 'downloads'), '/downloads/');
  const manifestFile = join(distDir, 'client', 'manifest.json');
  type Manifest = Record<string, { file: string }>;
  const manifest: Manifest = existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {};
  return { files, url: (entry) => (manifest[entry] ? `/${manifest[entry].file}` : null) };
}

function readAsset(file: string, type: string): Asset {
  const bytes = readFileSync(file);
  return { bytes, type, brotli: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`), etag: etagOf(bytes) };
}

export function sendCompressed(ctx: Context, asset: Asset): void {
  ctx.set({ ETag: asset.etag, Vary: 'Accept-Encoding' });
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else setBody(ctx, asset.type, { br: () => asset.brotli, gzip: () => asset.gzip, identity: () => asset.bytes });
}

type Encoding = 'br' | 'gzip' | 'identity';

/**
 * Sets the body in the best encoding.
 * Brotli comes first, because the order of encodings in browsers has no meaning.
 */
function setBody(ctx: Context, type: string, encode: Record<Encoding, () => Buffer | string>): void {
  const encoding = (['br', 'gzip'] as const).find((each) => ctx.acceptsEncodings(each) === each);
  if (encoding) ctx.set('Content-Encoding', encoding);
  ctx.body = encode[encoding ?? 'identity']();
  ctx.set('Content-Type', type);
}

type Files = Db & { clock: Clock; log: Logger; limits: Limits };

/** Matches paths whose content never changes: names with a hash, and versions of the widget. */
const IMMUTABLE = /^\/(assets\/|widget\/\d)/;

/** Matches the path of a widget version. An unknown version is redirected to the newest one. */
const VERSION_OF_WIDGET = /^\/widget\/\d[\w.-]*?(?:\.(loader))?\.(m?js)$/;

/** Sends built files, even of other builds: pages pin widget versions, and nodes of two releases run together. */
export function serveFiles(deps: Files, { files }: Assets): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const isImmutable = IMMUTABLE.test(ctx.path);
    const asset = files.get(ctx.path) ?? (isImmutable ? await findPublished(deps, ctx) : undefined);
    if (asset) {
      allowAllOrigins(ctx, isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300');
      return sendCompressed(ctx, asset);
    }
    // Browsers must not cache this response, because a node that publishes the file may be starting.
    if (isImmutable) allowAllOrigins(ctx, 'no-store');
    const [other, loader, kind] = VERSION_OF_WIDGET.exec(ctx.path) ?? [];
    if (!other) return next();
    ctx.redirect(loader ? '/widget/loader.js' : `/widget.${kind}`);
  };
}

function allowAllOrigins(ctx: Context, cacheControl: string): void {
  ctx.set({
    'Cache-Control': cacheControl,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  });
}

/**
 * Returns a file of another build. Undefined if the file is unknown or the database is unavailable.
 * @throws Problem too_many_requests, because paths can be guessed and each one costs a query
 */
async function findPublished(deps: Files, ctx: Context): Promise<Asset | undefined> {
  const type = TYPES[extname(ctx.path)];
  if (!type) return undefined;
  await consumeLimit(deps.limits, 'public', clientAddress(ctx), ctx);
  const row = await findFile.first(deps, { path: ctx.path }).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'could not read published file');
  });
  return row ? compress(Buffer.from(row.bytes), type, 5) : undefined;
}

const findFile = prepared((tables, { path }: { path: string }) =>
  tables.selectFrom('published_files').select('bytes').where('path', '=', path),
);

/** Publishes the immutable files of this build to all nodes, before this node sends pages that name them. */
export async function publishFiles(
  core: Db & { clock: Clock },
  { files }: { files: ReadonlyMap<string, Pick<Asset, 'bytes'>> },
): Promise<void> {
  const seenAt = core.clock.now();
  const own = [...files].filter(([path]) => IMMUTABLE.test(path));
  // The rows are sorted, so that two starting nodes cannot deadlock.
  const rows = own.map(([path, { bytes }]) => ({ path, bytes, seenAt })).sort((a, b) => (a.path < b.path ? -1 : 1));
  if (rows.length === 0) return;
  const insert = query((tables) =>
    tables
      .insertInto('published_files')
      .values(rows)
      .onConflict((on) => on.column('path').doUpdateSet({ seenAt })),
  );
  await insert.run(core);
}

/**
 * Returns the content security policy of a page whose only inline content is one style element with this text.
 * @param more further directives, for pages that need more than others
 */
export function pagePolicy(
  styles: string,
  frameAncestors: string[],
  formTargets: string[] = [],
  more: readonly string[] = [],
): string {
  const hash = createHash('sha256').update(styles).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    ...more,
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
  ].join('; ');
}

/** Sends an HTML document, compressed for slow connections. Brotli quality 5 is fast enough for each request. */
export function sendPage(ctx: Context, html: string, policy: string, status = 200): void {
  ctx.status = status;
  ctx.remove('X-Frame-Options');
  ctx.set({
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Encoding, Accept-Language',
  });
  setBody(ctx, 'text/html; charset=utf-8', {
    br: () => brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    gzip: () => gzipSync(html),
    identity: () => html,
  });
}

/** Loads a built render module. @throws CannotStart with instructions if the pages are not built */
export async function loadRender<T>(distDir: string, name: string): Promise<T> {
  const file = join(distDir, 'ssr', `${name}.js`);
  try {
    return (await import(pathToFileURL(file).href)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' || existsSync(file)) throw error;
    throw new CannotStart('The pages are not built: run npm run build.');
  }
}

/** Returns the language of `?lang=` or, without it, of the browser. Without both, returns the fallback. */
export function languageOf(ctx: Context, fallback: Language = 'pt'): Language {
  return chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages(...LANGUAGES), fallback);
}

export type TroublePages = {
  styles: string;
  /** Renders the error page. @param againUrl null if a repeat would send a form twice */
  renderTrouble(lang: Language, againUrl: string | null): string;
  /** Renders the page for an unknown URL, for example of a truncated link. */
  renderMissing(lang: Language): string;
};

/** Sends browsers an error page for every refusal below this path. Programs receive the problem as JSON. */
export function showErrorPages(prefix: string, { styles, renderTrouble, renderMissing }: TroublePages): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status < 400 || !ctx.path.startsWith(prefix) || !ctx.response.is('application/problem+json')) return;
    if (ctx.accepts('json', 'html') !== 'html') return;
    const lang = languageOf(ctx);
    ctx.remove('Content-Language');
    const againUrl = ctx.method === 'GET' ? ctx.path + ctx.search : null;
    const html = ctx.status === 404 ? renderMissing(lang) : renderTrouble(lang, againUrl);
    sendPage(ctx, html, pagePolicy(styles, []), ctx.status);
  };
}

export type FrontRender = {
  styles: string;
  /** Renders the page at `/`. */
  renderFront(lang: Language): string;
  /** Renders the page for an unknown address. */
  renderNowhere(lang: Language): string;
};

/** Sends browsers a page at `/`, and for each address without a page of its own. Programs receive the problem. */
export function showFrontPages({ styles, renderFront, renderNowhere }: FrontRender): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status !== 404 || !['GET', 'HEAD'].includes(ctx.method) || !ctx.response.is('application/problem+json'))
      return;
    if (ctx.accepts('json', 'html') !== 'html') return;
    const lang = languageOf(ctx);
    ctx.remove('Content-Language');
    const isFront = ctx.path === '/';
    sendPage(ctx, isFront ? renderFront(lang) : renderNowhere(lang), pagePolicy(styles, []), isFront ? 200 : 404);
  };
}
