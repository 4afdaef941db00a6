// HTML pages and built assets: a strict policy without inline exceptions, and immutable files compressed once.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { Context } from 'koa';
import { CannotStart } from '../config.ts';

export type Asset = { bytes: Buffer; brotli: Buffer; gzip: Buffer; type: string; etag: string };

export type Assets = {
  /** The built files by their addresses. */
  files: ReadonlyMap<string, Asset>;
  /** The address of a built entry by its source path; null when it was not built. */
  url(entry: string): string | null;
};

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

/** The content type of a built file; undefined for what is not served. */
export function typeOf(file: string): string | undefined {
  return TYPES[extname(file)];
}

const BEST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
const BEST_GZIP = { level: 9 };

/** Compresses what is made while others are served: it blocks nobody. */
export async function compressAside(bytes: Buffer, type: string): Promise<Asset> {
  const work = [promisify(brotliCompress)(bytes, BEST_BROTLI), promisify(gzip)(bytes, BEST_GZIP)] as const;
  const [brotli, gzipped] = await Promise.all(work);
  return { bytes, type, brotli, gzip: gzipped, etag: digest(bytes) };
}

/** Makes each page once, by a name of which there are few, and keeps it as it is sent. */
export function makeOnce(): (name: string, type: string, write: () => string) => Promise<Asset> {
  const made = new Map<string, Promise<Asset>>();
  return (name, type, write) => {
    const page = made.get(name) ?? compressAside(Buffer.from(write()), `${type}; charset=utf-8`);
    made.set(name, page);
    return page;
  };
}

function digest(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/**
 * Reads the files that the build wrote to `dist/client` and `dist/widget`, each with its `.br` and `.gz` beside it
 * (vite.config.ts), into memory; they are a few kilobytes. @throws when a file was built without them
 */
export function loadAssets(distDir: string): Assets {
  const files = new Map<string, Asset>();
  const add = (folder: string, prefix: string) => {
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) {
      const type = typeOf(name);
      if (type) files.set(prefix + name, readAsset(join(folder, name), type));
    }
  };
  add(join(distDir, 'client', 'assets'), '/assets/');
  add(join(distDir, 'widget'), '/');
  add(join(distDir, 'widget', 'widget'), '/widget/');
  const manifestFile = ['manifest.json', '.vite/manifest.json']
    .map((name) => join(distDir, 'client', name))
    .find(existsSync);
  const manifest = (manifestFile ? JSON.parse(readFileSync(manifestFile, 'utf8')) : {}) as Record<
    string,
    { file: string }
  >;
  return {
    files,
    url: (entry) => (manifest[entry] ? `/${manifest[entry].file}` : null),
  };
}

function readAsset(file: string, type: string): Asset {
  const bytes = readFileSync(file);
  return { bytes, type, brotli: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`), etag: digest(bytes) };
}

/** Sends what was compressed before, or says that it is still the same. */
export function sendCompressed(ctx: Context, asset: Asset): void {
  ctx.set({ ETag: asset.etag, Vary: 'Accept-Encoding' });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const encoding = chooseEncoding(ctx);
  if (encoding) ctx.set('Content-Encoding', encoding);
  ctx.body = encoding === 'br' ? asset.brotli : encoding === 'gzip' ? asset.gzip : asset.bytes;
  ctx.set('Content-Type', asset.type);
}

/** The smallest that is understood: browsers name gzip first and weigh it like brotli, so their order says nothing. */
function chooseEncoding(ctx: Context): 'br' | 'gzip' | null {
  return (['br', 'gzip'] as const).find((each) => ctx.acceptsEncodings(each) === each) ?? null;
}

/** The policy of a page whose only inline content is one style element of this exact text; it may hold frames of our own. */
export function pagePolicy(
  styles: string,
  frameAncestors: string[],
  formTargets: string[] = [],
  holdsFrames = false,
): string {
  const hash = createHash('sha256').update(styles).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    ...(holdsFrames ? ["frame-src 'self'"] : []),
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
  ].join('; ');
}

/** Sends an HTML document, compressed for slow lines (brotli 5: pages are made for each request). */
export function sendPage(ctx: Context, html: string, policy: string, status = 200): void {
  ctx.status = status;
  ctx.remove('X-Frame-Options');
  ctx.set({
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Accept-Encoding, Accept-Language',
  });
  const encoding = chooseEncoding(ctx);
  if (encoding === 'br') {
    ctx.set('Content-Encoding', 'br');
    ctx.body = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  } else if (encoding === 'gzip') {
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = gzipSync(html);
  } else ctx.body = html;
  ctx.set('Content-Type', 'text/html; charset=utf-8');
}

/** Loads a built render module. @throws with a hint when the pages were not built */
export async function loadRender<T>(
  distDir: string,
  name: 'render' | 'sandbox' | 'account' | 'link' | 'docs' | 'console',
): Promise<T> {
  const file = join(distDir, 'ssr', `${name}.js`);
  try {
    return (await import(pathToFileURL(file).href)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' || existsSync(file)) throw error;
    throw new CannotStart('The pages are not built: run npm run build.');
  }
}
