// Built files by their addresses: this build's out of memory, those of every build a node ever started with out of the database.
import type { Context, Middleware } from 'koa';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { prepared, type Db } from '../database/db.ts';
import { compressAside, sendCompressed, typeOf, type Asset, type Assets } from './page.ts';

type Shelf = Db & { clock: Clock; log: Logger };

/** What never changes: names with a hash, and versions of the widget. */
const IMMUTABLE = /^\/(assets\/|widget\/\d)/;

/** A version of the widget that nobody published: what is newest stands in for it. */
const OTHER_VERSION = /^\/widget\/\d[\w.-]*?(?:\.(loader))?\.(m?js)$/;

/** Sends built files, of other releases too: a page that pinned one keeps it, and nodes of two releases stand in for one another. */
export function serveFiles(shelf: Shelf, { files }: Assets): Middleware {
  const findPublished = readPublished(shelf);
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const isImmutable = IMMUTABLE.test(ctx.path);
    const asset = files.get(ctx.path) ?? (isImmutable ? await findPublished(ctx.path) : undefined);
    if (asset) {
      openToAll(ctx, isImmutable ? 'public, max-age=31536000, immutable' : 'public, max-age=300');
      return sendCompressed(ctx, asset);
    }
    // To be kept by nobody: the node that brings it may be starting now.
    if (isImmutable) openToAll(ctx, 'no-store');
    const [other, loader, kind] = OTHER_VERSION.exec(ctx.path) ?? [];
    if (!other) return next();
    ctx.redirect(loader ? '/widget/loader.js' : `/widget.${kind}`);
  };
}

function openToAll(ctx: Context, cacheControl: string): void {
  ctx.set({
    'Cache-Control': cacheControl,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  });
}

/** Before this node answers: whatever its pages name, every node can send. */
export async function publishFiles(shelf: Shelf, { files }: Assets): Promise<void> {
  const own = [...files].filter(([path]) => IMMUTABLE.test(path));
  const [paths, bytes] = [own.map(([path]) => path), own.map(([, file]) => file.bytes)];
  await insertFiles.run(shelf, { paths, bytes, seenAt: shelf.clock.now() });
}

const insertFiles = prepared((tables, given: { paths: string[]; bytes: Buffer[]; seenAt: Date }) => {
  const files = sql<{ path: string; bytes: Buffer }>`unnest(${given.paths}::text[], ${given.bytes}::bytea[])`;
  return tables
    .insertInto('published_files')
    .columns(['path', 'bytes', 'seenAt'])
    .expression((eb) =>
      eb
        .selectFrom(files.as<'file'>(sql`file(path, bytes)`))
        .select(['path', 'bytes', sql<Date>`${given.seenAt}::timestamptz`.as('seenAt')])
        // In one order, so that nodes that start at once wait for one another instead of for ever.
        .orderBy('path'),
    )
    .onConflict((on) => on.column('path').doUpdateSet((eb) => ({ seenAt: eb.ref('excluded.seenAt') })));
});

const listSizes = prepared((tables) =>
  tables.selectFrom('published_files').select((eb) => ['path', eb.fn<number>('length', ['bytes']).as('size')]),
);

const findFile = prepared((tables, { path }: { path: string }) =>
  tables.selectFrom('published_files').select('bytes').where('path', '=', path),
);

/** Which paths there are is asked this often at most, however many are guessed. */
const ASK_MS = 1_000;

/** Kept in memory, counted uncompressed: some hundred releases, so that whoever asks for all their files in turn makes no work. */
const KEPT_BYTES = 16_000_000;

/** Finds files that were published; undefined as well while the database is away. */
function readPublished(shelf: Shelf): (path: string) => Promise<Asset | undefined> {
  /** How long each file is. */
  let known = new Map<string, number>();
  let asking: Promise<void> | undefined;
  let askedMs = -Infinity;
  const kept = new Map<string, Promise<Asset | undefined>>();

  return async (path) => {
    if (!known.has(path)) await (asking ??= askKnown().finally(() => (asking = undefined)));
    if (!known.has(path)) return undefined;
    const file = kept.get(path) ?? readFile(path);
    // The one that was wanted last is the last to go.
    kept.delete(path);
    kept.set(path, file);
    let bytes = 0;
    for (const each of [...kept.keys()].reverse()) if ((bytes += known.get(each) ?? 0) > KEPT_BYTES) kept.delete(each);
    return file;
  };

  /** Too soon after the last time, it is put off and not refused: what is wanted may have been published since. */
  async function askKnown(): Promise<void> {
    // A clock may be set back.
    const sinceMs = Math.abs(shelf.clock.now().getTime() - askedMs);
    if (sinceMs < ASK_MS) await shelf.clock.wait(ASK_MS - sinceMs);
    askedMs = shelf.clock.now().getTime();
    await listSizes
      .all(shelf, {})
      .then((rows) => void (known = new Map(rows.map(({ path, size }) => [path, size]))), warn);
  }

  async function readFile(path: string): Promise<Asset | undefined> {
    const row = await findFile.first(shelf, { path }).catch(warn);
    const type = typeOf(path);
    if (row && type) return compressAside(Buffer.from(row.bytes), type);
    kept.delete(path);
    return undefined;
  }

  function warn(error: unknown): void {
    shelf.log.warn({ err: error }, 'could not read the files of other releases');
  }
}
