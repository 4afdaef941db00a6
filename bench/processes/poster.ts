// The floor of the callbacks: the same bodies posted by node:http, or by fetch, and nothing else.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';
import { runForAWhile, type Load, type Rate } from '../load.ts';
import { openWallClock } from '../wall.ts';

const agent = new http.Agent({ keepAlive: true });
const wallMs = openWallClock();

serveParent({
  /** So many posts a second; answers when each was sent, by its id. */
  async pace({
    url,
    perSecond,
    count,
  }: {
    url: string;
    perSecond: number;
    count: number;
  }): Promise<[string, number][]> {
    const sent: [string, number][] = [];
    const posts: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let nth = 0; nth < count; nth++) {
      const waitMs = startedAt + (nth * 1000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs);
      const id = randomUUID();
      sent.push([id, wallMs()]);
      posts.push(post(`${url}/m${nth % 100}`, id));
    }
    await Promise.all(posts);
    return sent;
  },
  http: ({ url, ...load }: Load & { url: string }): Promise<Rate> =>
    runForAWhile(load, () => post(`${url}/floor`, randomUUID())),
  fetch: ({ url, ...load }: Load & { url: string }): Promise<Rate> =>
    runForAWhile(load, async () => {
      const answer = await fetch(`${url}/floor`, { method: 'POST', headers: HEADERS, body: bodyOf(randomUUID()) });
      await answer.json();
    }),
});

const HEADERS = { 'Content-Type': 'application/json', 'Access-Key': 'the key of the bench' };

/** As long as a real one. */
function bodyOf(id: string): string {
  const at = new Date().toISOString();
  const about = { clearingPeriod: '20', transactionNumber: '4711', status: 'ACCEPTED', transactionType: 'PURCHASE' };
  const paid = { amount: 15_250.5, currency: 'AOA', orderOrigin: 'QRCODE', merchantReferenceNumber: 'BENCH' };
  return JSON.stringify({ creationDate: at, updatedDate: at, id, ...about, ...paid });
}

function post(url: string, id: string): Promise<void> {
  const body = bodyOf(id);
  const headers = { ...HEADERS, 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('end', () => {
        JSON.parse(text);
        resolve();
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
