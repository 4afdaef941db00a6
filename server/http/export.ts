// Whole lists as files, however long: read as fast as they are taken, a few at once, and never whole by mistake.
import type { ServerResponse } from 'node:http';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { Context } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { dayOf } from '../../shared/luanda.ts';
import type { Clock } from '../clock.ts';
import { csvWriter, type CsvBatch, type CsvColumn, type CsvWriter, type Dialect } from './csv.ts';
import { tryLater } from './problem.ts';

/** A list as a file: its name by language, its columns, and its rows by batches, of a request. */
export type CsvExport<Name extends string, Request> = {
  name: Record<Language, string>;
  columns: readonly CsvColumn<Name>[];
  rows(request: Request): AsyncIterable<CsvBatch<NoInfer<Name>>>;
};

/** What of it is asked, by whom. */
type Asked = {
  name: Record<Language, string>;
  columns: readonly CsvColumn<string>[];
  rows: AsyncIterable<CsvBatch<string>>;
  dialect: Dialect;
  merchantId: string;
};

export type Exports = {
  /** Counts a request while it is answered: exports step back for it. */
  whileAnswering(answer: () => Promise<void>): Promise<void>;
  /**
   * Answers with the list, to its end.
   * @throws Problem too_many_exports, service_unavailable when no merchant gets another slot of this node
   */
  send(ctx: Context, asked: Asked): Promise<void>;
  /** The same of a document that is written while it is read. @throws Problem as `send` */
  sendText(ctx: Context, asked: AskedText): Promise<void>;
};

/** A file's name and media type, and its pieces until `reader` is aborted, when the connection ends. */
type AskedText = {
  file: string;
  type: string;
  pieces(reader: AbortSignal): AsyncIterable<string>;
  merchantId: string;
};

/** Slots are the merchant's. A slow reader keeps its slot and a batch in memory, but keeps no other merchant waiting. */
const MOST_OF_MERCHANT = 2;
/** Bounds the memory of batches that wait for their readers. */
const MOST_OF_NODE = 32;
/** Batches that are read and written concurrently, in turn by merchant. More would not be faster. */
const AT_WORK = 4;
/** Between two chunks, as long as somebody else asks: the database and who reads the file have processors to share with them. */
const REST_MS = 5;
/** After that, at most, while they are answered. */
const STEP_BACK_MS = 10;
/** Who asked before that asks no more, and what is not answered by then waits for something else than its turn. */
const RECENT_MS = 20;
/** Who has taken none of a chunk for so long does not read any more. */
const STALLED_MS = 60_000;

/** Whether a list is asked for as a file: JSON is what anybody gets who does not ask for CSV before it. */
export function wantsCsv(ctx: Context): boolean {
  ctx.vary('Accept');
  return ctx.accepts('application/json', 'text/csv') === 'text/csv';
}

/** The exports of this node. */
export function createExports(clock: Clock): Exports {
  const underWay: string[] = [];
  const turns = createTurns(AT_WORK);
  let answering = 0;
  let askedAt = -Infinity;
  const isAsked = () => performance.now() - askedAt < RECENT_MS;
  const stepBack = async () => {
    await turn();
    if (!isAsked()) return;
    await pause(REST_MS);
    for (let ms = 0; ms < STEP_BACK_MS && isAsked() && answering > underWay.length; ms++) await pause(1);
  };
  const enter = (merchantId: string) => {
    if (underWay.filter((each) => each === merchantId).length >= MOST_OF_MERCHANT)
      throw tryLater('too_many_exports', 10);
    if (underWay.length >= MOST_OF_NODE) throw tryLater('service_unavailable', 10);
    underWay.push(merchantId);
  };
  const sendWhole = async (ctx: Context, merchantId: string, head: () => void, chunks: AsyncGenerator<Buffer>) => {
    enter(merchantId);
    const next = () => turns.run(merchantId, () => chunks.next());
    try {
      // Before the first byte: until then a refusal can be told as one.
      const first = await next();
      head();
      await send(ctx, clock, first, { next, end: () => chunks.return(undefined) });
    } finally {
      underWay.splice(underWay.indexOf(merchantId), 1);
    }
  };
  return {
    async whileAnswering(answer) {
      answering++;
      askedAt = performance.now();
      await answer().finally(() => answering--);
    },
    async send(ctx, { name, columns, rows, dialect, merchantId }) {
      const language = chooseLanguage(null, ctx.acceptsLanguages(...LANGUAGES));
      const writer = csvWriter(columns, dialect, language);
      const today = dayOf(clock.now());
      const head = () => writeHead(ctx, `${name[language]}-${today}.csv`, language);
      const chunks = writeChunks(writer, rows, stepBack);
      if (ctx.method === 'HEAD') {
        // What is not there is 404 as it would be read.
        await chunks.next();
        await chunks.return(undefined);
        head();
        ctx.res.end();
        return;
      }
      await sendWhole(ctx, merchantId, head, chunks);
    },
    sendText(ctx, { file, type, pieces, merchantId }) {
      const head = () => begin(ctx, { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${file}"` });
      const reader = new AbortController();
      ctx.res.once('close', () => reader.abort());
      return sendWhole(ctx, merchantId, head, readPieces(pieces(reader.signal), stepBack));
    },
  };
}

/** Runs at most this many works concurrently. Waiting works start in turn by merchant. */
function createTurns(most: number) {
  const waiting = new Map<string, (() => void)[]>();
  let working = 0;
  const wakeNext = () => {
    const [merchantId, works] = waiting.entries().next().value ?? [];
    if (!merchantId || !works) return void working--;
    waiting.delete(merchantId);
    const begin = works.shift();
    // The merchant goes to the end of the queue.
    if (works.length > 0) waiting.set(merchantId, works);
    begin?.();
  };
  return {
    async run<T>(merchantId: string, work: () => Promise<T>): Promise<T> {
      if (working < most) working++;
      else
        await new Promise<void>((begin) => {
          waiting.set(merchantId, [...(waiting.get(merchantId) ?? []), begin]);
        });
      return work().finally(wakeNext);
    },
  };
}

function writeHead(ctx: Context, file: string, language: Language): void {
  ctx.vary('Accept-Language');
  begin(ctx, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${file}"`,
    'Content-Language': language,
  });
}

function begin(ctx: Context, headers: Record<string, string>): void {
  ctx.respond = false;
  ctx.set({ ...headers, 'Cache-Control': 'no-store' });
  ctx.res.statusCode = 200;
}

async function* readPieces(pieces: AsyncIterable<string>, stepBack: () => Promise<void>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield Buffer.from(piece);
    await stepBack();
  }
}

async function* writeChunks(
  writer: CsvWriter<string>,
  batches: Asked['rows'],
  stepBack: () => Promise<void>,
): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.from(writer.head);
  for await (const batch of batches) {
    // What fails before there is a batch is told as a refusal.
    if (head) yield head;
    head = null;
    // To have read it took as long as to write a chunk of it.
    await stepBack();
    for (const chunk of writer.write(batch)) {
      yield chunk;
      await stepBack();
    }
  }
  if (head) yield head;
}

/** What began and cannot be ended is broken off, so that whoever reads it sees that it is not whole. */
async function send({ req, res }: Context, clock: Clock, first: IteratorResult<Buffer>, chunks: Chunks): Promise<void> {
  let failure: unknown = null;
  const breakOff = (error: unknown): never => {
    failure = error;
    // By a reset: over HTTP/1.0, which some proxies speak, a mere end would be the file's.
    req.socket.resetAndDestroy();
    throw error;
  };
  try {
    for (let next = first; !next.done; next = await chunks.next().catch(breakOff)) {
      const { value } = next;
      await give(res, clock, (taken) => res.write(value, taken));
    }
    await give(res, clock, (taken) => res.end(taken));
  } catch {
    // Readers who leave, or fall asleep, are no fault of ours.
    if (failure) throw failure;
  } finally {
    await chunks.end();
  }
}

type Chunks = { next(): Promise<IteratorResult<Buffer>>; end(): Promise<unknown> };

/** Until all of it is taken. @throws when the reader is gone, or takes nothing any more */
async function give(res: ServerResponse, clock: Clock, write: (taken: () => void) => void): Promise<void> {
  const over = new AbortController();
  void clock.wait(STALLED_MS, over.signal).then(() => over.signal.aborted || res.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      if (res.destroyed) return reject(new Error('gone'));
      res.once('close', reject);
      over.signal.addEventListener('abort', () => res.off('close', reject));
      write(resolve);
    });
  } finally {
    over.abort();
  }
}
