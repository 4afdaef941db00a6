// Sends whole lists as files. The node reads rows while the client downloads, and resets the connection after an error.
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { dayOf } from '../../shared/luanda.ts';
import type { Clock } from '../clock.ts';
import { tryLater } from '../http/problem.ts';
import { csvWriter, languageOfFile, type CsvColumn, type CsvRow, type Dialect } from './csv.ts';

type Batches<Name extends string> = AsyncIterable<readonly CsvRow<Name>[]>;

/** A list as a CSV file: its name in each language, its columns, and the batches of rows that a request selects. */
export type CsvExport<Name extends string, Request> = {
  name: Record<Language, string>;
  columns: readonly CsvColumn<Name>[];
  rows(request: Request): Batches<NoInfer<Name>>;
};

type CsvFile = Omit<CsvExport<string, never>, 'rows'> & { rows: Batches<string>; dialect: Dialect; merchantId: string };
type TextFile = { name: string; type: string; language?: Language; chunks: AsyncGenerator<string>; merchantId: string };
type Chunk = IteratorResult<string, unknown>;
export type Exports = ReturnType<typeof createExports>;

const MAX_OF_MERCHANT = 2;
/** The most exports of a node. It limits the memory of batches that wait for slow clients. */
const MAX_OF_NODE = 32;
/** The most exports that read their next chunk at the same time. More would take connections from payments. */
const MAX_READS = 4;
/** The rows of one chunk, which take less than a millisecond. Other requests run between two chunks. */
const CHUNK_ROWS = 50;
/** The longest time in which a client reads no byte. Then it is disconnected, and its slot is free. */
const STALLED_MS = 60_000;

/** Creates the exports of this node. */
export function createExports(clock: Clock) {
  const openExports: (string | symbol)[] = [];
  const limitReads = limitTo(MAX_READS);
  return {
    /** Sends a list as a CSV file. @throws Problem too_many_exports, service_unavailable */
    sendCsv(ctx: Context, { name, columns, rows, dialect, merchantId }: CsvFile): Promise<void> {
      const language = languageOfFile(dialect, chooseLanguage(null, ctx.acceptsLanguages(...LANGUAGES)));
      const chunks = writeChunks(csvWriter(columns, dialect, language), rows);
      const type = 'text/csv; charset=utf-8; header=present';
      const today = dayOf(clock.now());
      const file = `${name[language]}-${today}.csv`;
      return this.send(ctx, { name: file, type, language, chunks, merchantId });
    },
    /** Sends a file whose text is created during the download. @throws Problem too_many_exports, service_unavailable */
    async send(ctx: Context, { name, type, language, chunks, merchantId }: TextFile): Promise<void> {
      // HEAD reads the first batch too, so that it returns 404 like GET. It uses no export slot of the merchant.
      const owner = ctx.method === 'HEAD' ? Symbol('HEAD') : merchantId;
      if (openExports.filter((other) => other === owner).length >= MAX_OF_MERCHANT)
        throw tryLater('too_many_exports', 10);
      if (openExports.length >= MAX_OF_NODE) throw tryLater('service_unavailable', 10);
      openExports.push(owner);
      const next = () => limitReads(() => chunks.next());
      try {
        // The first chunk is read before the headers are sent, so that an error becomes an error response.
        const first = await next();
        ctx.respond = false;
        ctx.res.statusCode = 200;
        ctx.set({ 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` });
        ctx.set({ 'Cache-Control': 'no-store', ...(language && { 'Content-Language': language }) });
        if (language) ctx.vary('Accept-Language');
        if (ctx.method === 'HEAD') ctx.res.end();
        else await stream(ctx, clock, first, next);
      } finally {
        openExports.splice(openExports.indexOf(owner), 1);
        await chunks.return(undefined);
      }
    },
  };
}

/** Runs at most `most` tasks concurrently, in the order of their arrival. */
function limitTo(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < most) running++;
    else await new Promise<void>((start) => queue.push(start));
    return task().finally(() => (queue.shift() ?? (() => running--))());
  };
}

async function* writeChunks({ head, write }: ReturnType<typeof csvWriter>, batches: Batches<string>) {
  for await (const rows of batches)
    for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
      yield head + write(rows.slice(at, at + CHUNK_ROWS));
      head = '';
      await nextTurn();
    }
  if (head) yield head;
}

/**
 * Sends the chunks of a file. Resolves without an error if the client disconnects or stalls.
 * @throws Error if a chunk cannot be created
 */
async function stream({ req, res }: Context, clock: Clock, first: Chunk, next: () => Promise<Chunk>): Promise<void> {
  const sent = new AbortController();
  let failure: unknown = null;
  const breakOff = (error: unknown): never => {
    failure = error;
    // In HTTP/1.0, the end of the connection ends the body. Only a reset shows the client that the file is incomplete.
    req.socket.resetAndDestroy();
    throw error;
  };
  async function* chunks() {
    for (let chunk = first; !chunk.done; chunk = await next().catch(breakOff)) yield chunk.value;
  }
  void endStalled(res, clock, sent.signal);
  await pipeline(chunks, res).catch(() => {});
  sent.abort();
  if (failure) throw failure;
}

async function endStalled(res: ServerResponse, clock: Clock, sent: AbortSignal): Promise<void> {
  for (let before = -1; !sent.aborted; await clock.wait(STALLED_MS, sent)) {
    const taken = (res.socket?.bytesWritten ?? 0) - res.writableLength;
    if (res.writableLength > 0 && taken === before) res.destroy();
    before = taken;
  }
}
