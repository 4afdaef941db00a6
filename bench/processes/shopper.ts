// A merchant who insists, with the same Idempotency-Key, until each payment is acknowledged; payers with a live page; and the merchant's
// own server, which is told by webhook what was paid.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';
import { writeMethodRequest, writeRequest } from '../sample.ts';

export type Shopping = {
  url: string;
  token: string;
  /** Pushes that the merchant creates, and pages that payers pay at with their stream open. */
  pushesPerSecond: number;
  pagesPerSecond: number;
};

/** A payment that was acknowledged with 201, and when, by the time of day in ms. */
export type Acknowledged = { id: string; at: number; isPage: boolean };

export type Shopped = {
  acknowledged: Acknowledged[];
  /** What went wrong on the way, by what it was; all of it was tried again. */
  troubles: Record<string, number>;
  /** Requests that were answered with 500: when each was sent and answered, by the time of day in ms. */
  unknown: { sentAt: number; answeredAt: number }[];
  /** Streams that ended before their payment did, streams that saw its end, and how many are open. */
  streams: { cut: number; told: number; open: number };
};

const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const shopped: Shopped = { acknowledged: [], troubles: {}, unknown: [], streams: { cut: 0, told: 0, open: 0 } };
const paid = new Map<string, number>();
const pending = new Set<Promise<void>>();
let isOver = false;
let nth = 5e9;

serveParent({
  /** The merchant's server; answers where webhooks of paid payments are to go. */
  async listen(): Promise<string> {
    const server = createServer((asked, answer) => {
      void text(asked).then((body) => {
        const { type, paymentId } = JSON.parse(body) as { type: string; paymentId: string };
        if (type === 'payment.paid') paid.set(paymentId, (paid.get(paymentId) ?? 0) + 1);
        answer.writeHead(200).end();
      });
    });
    server.keepAliveTimeout = 75_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`;
  },
  /** Goes on until `end`. */
  shop(options: Shopping): void {
    void goOn(options.pushesPerSecond, () => create(options, false));
    void goOn(options.pagesPerSecond, () => create(options, true));
  },
  /** Resolves when all that was begun is acknowledged. */
  async end(): Promise<void> {
    isOver = true;
    while (pending.size > 0) await Promise.all(pending);
  },
  /** The first acknowledgement after a moment, in ms of the day; null: none yet. */
  firstAfter: ({ at }: { at: number }): number | null => shopped.acknowledged.find((one) => one.at > at)?.at ?? null,
  collect: (): Shopped => shopped,
  /** How often each payment was told to be paid. */
  told: (): [string, number][] => [...paid],
});

async function goOn(perSecond: number, once: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let count = 0; !isOver && perSecond > 0; count++) {
    const waitMs = startedAt + (count * 1000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    const run = once().finally(() => pending.delete(run));
    pending.add(run);
  }
}

async function create({ url, token }: Shopping, isPage: boolean): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() };
  const push = { paymentMethod: 'onetimepurchase', phoneNumber: '923000001' };
  const body = isPage ? writeRequest(nth++) : writeMethodRequest(nth++, push);
  const { status, body: answer } = await insist(`${url}/api/payments`, headers, body);
  if (status !== 201) return note(`refused ${status} ${answer.slice(0, 200)}`);
  const { id, clientToken } = JSON.parse(answer) as { id: string; clientToken: string };
  shopped.acknowledged.push({ id, at: Date.now(), isPage });
  if (!isPage) return;
  follow(`${url}/checkout/${clientToken}/events`);
  await insist(`${url}/checkout/${clientToken}/pay`, {}, JSON.stringify({ phoneNumber: '923000001' }));
}

function note(trouble: string): void {
  shopped.troubles[trouble] = (shopped.troubles[trouble] ?? 0) + 1;
}

type Answer = { status: number; body: string };

/** Until an answer comes that is the gateway's last word. */
async function insist(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
  for (;;) {
    const sentAt = Date.now();
    try {
      const answer = await post(url, headers, body);
      if (answer.status === 500) shopped.unknown.push({ sentAt, answeredAt: Date.now() });
      if (answer.status < 500 && answer.status !== 429) return answer;
      note(String(answer.status));
    } catch (error) {
      note((error as { code?: string }).code ?? (error as Error).message);
    }
    await pause(50 + Math.random() * 100);
  }
}

function post(url: string, headers: Record<string, string>, body: string): Promise<Answer> {
  const all = { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, method: 'POST', headers: all }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    asking.setTimeout(40_000, () => asking.destroy(new Error('no answer')));
    asking.on('error', reject);
    asking.end(body);
  });
}

/** As a browser: it comes back when its stream is cut, until the payment is over. */
function follow(url: string): void {
  shopped.streams.open++;
  const again = (isCut: boolean) => {
    shopped.streams.open--;
    if (isCut) shopped.streams.cut++;
    if (!isOver || isCut) setTimeout(() => follow(url), 1_000).unref();
  };
  const asking = request(
    url,
    { agent: false, headers: { Accept: 'text/event-stream' } },
    (response: IncomingMessage) => {
      if (response.statusCode !== 200) {
        response.resume();
        return again(false);
      }
      let tail = '';
      let isEnded = false;
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        tail = (tail + chunk).slice(-2_000);
        isEnded ||= tail.includes('event: end');
      });
      response.on('error', () => {});
      response.on('close', () => {
        if (!isEnded) return again(true);
        shopped.streams.open--;
        shopped.streams.told++;
      });
    },
  );
  asking.on('error', () => again(false));
  asking.end();
}
