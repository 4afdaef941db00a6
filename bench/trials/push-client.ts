// A merchant's server that creates pushes at a fixed rate.
// The client repeats each push with its `Idempotency-Key` until a node acknowledges the push.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../kit/child.ts';
import { nextReference, PUSH, writeBody } from '../kit/sample.ts';

export type PushLoad = { urls: string[]; token: string; perSecond: number };

export type PushResults = {
  /** Payments with the response 201, and the wall-clock time of that response in milliseconds. */
  acknowledged: { id: string; at: number }[];
  /** The number of responses by status, and of failed calls by their error code. */
  answers: Record<string, number>;
};

const TIMEOUT_MS = 40_000;
/** The maximum backoff of a repeat. Without a backoff, repeats would be the main load. */
const MAX_BACKOFF_MS = 2_000;

const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const results: PushResults = { acknowledged: [], answers: {} };
const pending = new Set<Promise<void>>();
let isOver = false;
let turn = 0;

serveParent({
  /** Starts the load, which runs until `end`. */
  start(options: PushLoad): void {
    void runLoad(options);
  },
  /** Stops new pushes. Resolves when every payment is acknowledged. */
  async end(): Promise<void> {
    isOver = true;
    while (pending.size > 0) await Promise.all(pending);
  },
  collect: (): PushResults => results,
});

async function runLoad(options: PushLoad): Promise<void> {
  const startedAt = performance.now();
  for (let count = 0; !isOver; count++) {
    const waitMs = startedAt + (count * 1000) / options.perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    const run = createPush(options).finally(() => pending.delete(run));
    pending.add(run);
  }
}

/** Creates a push at the nodes in turn. Only a response with a status below 500 is final. */
async function createPush({ urls, token }: PushLoad): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
  const body = writeBody(nextReference(), PUSH);
  for (let tries = 0; ; tries++) {
    const url = `${urls[turn++ % urls.length]}/api/payments`;
    const { status, answer } = await post(url, headers, body).catch((error: { code?: string; message: string }) => ({
      status: error.code ?? error.message,
      answer: '',
    }));
    results.answers[status] = (results.answers[status] ?? 0) + 1;
    if (status === 201) {
      const { id } = JSON.parse(answer) as { id: string };
      results.acknowledged.push({ id, at: Date.now() });
    }
    if (typeof status === 'number' && status < 500 && status !== 429) return;
    await pause(Math.min(MAX_BACKOFF_MS, 100 * 2 ** tries) * (0.5 + Math.random()));
  }
}

function post(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number | string; answer: string }> {
  const all = { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, method: 'POST', headers: all }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, answer }), reject);
    });
    call.setTimeout(TIMEOUT_MS, () => call.destroy(new Error('timeout')));
    call.on('error', reject);
    call.end(body);
  });
}
