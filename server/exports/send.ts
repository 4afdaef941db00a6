// Sends whole lists as files. The node reads rows while the client takes them, and resets a file that breaks off.
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { dayOf } from '../../shared/luanda.ts';
import type { Clock } from '../clock.ts';
import { tryLater } from '../http/problem.ts';
import { csvWriter, type CsvColumn, type CsvRow, type Dialect } from './csv.ts';

type Batches<Name extends string> = AsyncIterable<readonly CsvRow<Name>[]>;

/** A list as a file: its name in each language, its columns, and the batches of rows that a request selects. */
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
/** Bounds the memory of batches that wait for slow clients. */
const MAX_OF_NODE = 32;
/** Files whose next chunk is read or written now. More would take connections of the pool from payments. */
const MAX_AT_WORK = 4;
/** Rows of a chunk, less than a millisecond of work. Then other requests have their turn. */
const CHUNK_ROWS = 50;
/** A client that takes no byte for so long loses its slot. */
const STALLED_MS = 60_000;

/** The exports of this node. */
export function createExports(clock: Clock) {
  const open: (string | symbol)[] = [];
  const atWork = limitTo(MAX_AT_WORK);
  return {
    /** Answers with a list. @throws Problem as `send` */
    sendCsv(ctx: Context, { name, columns, rows, dialect, merchantId }: CsvFile): Promise<void> {
      const language = chooseLanguage(null, ctx.acceptsLanguages(...LANGUAGES));
      const chunks = writeChunks(csvWriter(columns, dialect, language), rows);
      const type = 'text/csv; charset=utf-8; header=present';
      const today = dayOf(clock.now());
      const file = `${name[language]}-${today}.csv`;
      return this.send(ctx, { name: file, type, language, chunks, merchantId });
    },
    /** Answers with a document that is written while it is read. @throws Problem too_many_exports, service_unavailable */
    async send(ctx: Context, { name, type, language, chunks, merchantId }: TextFile): Promise<void> {
      // HEAD reads a first batch, because it returns 404 where GET does. It takes no slot of its merchant.
      const owner = ctx.method === 'HEAD' ? Symbol('HEAD') : merchantId;
      if (open.filter((other) => other === owner).length >= MAX_OF_MERCHANT) throw tryLater('too_many_exports', 10);
      if (open.length >= MAX_OF_NODE) throw tryLater('service_unavailable', 10);
      open.push(owner);
      const next = () => atWork(() => chunks.next());
      try {
        // An error before the first byte is an ordinary answer.
        const first = await next();
        ctx.respond = false;
        ctx.res.statusCode = 200;
        ctx.set({ 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` });
        ctx.set({ 'Cache-Control': 'no-store', ...(language && { 'Content-Language': language }) });
        if (language) ctx.vary('Accept-Language');
        if (ctx.method === 'HEAD') ctx.res.end();
        else await stream(ctx, clock, first, next);
      } finally {
        open.splice(open.indexOf(owner), 1);
        await chunks.return(undefined);
      }
    },
  };
}

/** Runs at most `most` tasks concurrently, first come, first served. */
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

/** Ends early, without an error, for a client that leaves or stalls. @throws Error of a chunk that cannot be made */
async function stream({ req, res }: Context, clock: Clock, first: Chunk, next: () => Promise<Chunk>): Promise<void> {
  const sent = new AbortController();
  let failure: unknown = null;
  const breakOff = (error: unknown): never => {
    failure = error;
    // HTTP/1.0 ends each body by an ordinary end of the connection. Only a reset shows that the rest is missing.
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
