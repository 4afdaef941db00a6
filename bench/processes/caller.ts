// A merchant who calls so often a second and takes every first answer as it comes: what failed is counted, nothing is tried again.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';
import { writeRequest } from '../sample.ts';

export type Calls = { url: string; token: string; perSecond: number; count: number; isKept: boolean };
/** `failed` by what happened: a status, or the connection's error. `ms` of each answer. */
export type Called = { answered: number; failed: Record<string, number>; ms: number[] };

const TIMEOUT_MS = 20_000;

let isOver = false;

serveParent({
  /** Half creations, half reads. */
  call,
  /** Ends what is being called. */
  end(): void {
    isOver = true;
  },
});

async function call({ url, token, perSecond, count, isKept }: Calls): Promise<Called> {
  isOver = false;
  const agent = new Agent({ keepAlive: isKept, maxSockets: 256 });
  const called: Called = { answered: 0, failed: {}, ms: [] };
  const created: string[] = [];
  const startedAt = performance.now();
  const calls: Promise<void>[] = [];
  for (let nth = 0; nth < count && !isOver; nth++) {
    const waitMs = startedAt + (nth * 1000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    const id = created[nth % 100];
    const asked =
      nth % 2 && id ? { path: `/api/payments/${id}` } : { path: '/api/payments', body: writeRequest(4e9 + nth) };
    const once = async () => {
      const begunAt = performance.now();
      try {
        const { status, body } = await send(agent, url, token, asked);
        if (status >= 400) throw new Error(String(status));
        called.answered++;
        called.ms.push(performance.now() - begunAt);
        if (created.length < 100 && asked.body) created.push((JSON.parse(body) as { id: string }).id);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        const what = code ?? message;
        called.failed[what] = (called.failed[what] ?? 0) + 1;
      }
    };
    calls.push(once());
  }
  await Promise.all(calls);
  agent.destroy();
  return called;
}

type Asked = { path: string; body?: string };

function send(
  agent: Agent,
  url: string,
  token: string,
  { path, body }: Asked,
): Promise<{ status: number; body: string }> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body && {
      'Idempotency-Key': randomUUID(),
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    }),
  };
  return new Promise((resolve, reject) => {
    const asking = request(url + path, { agent, method: body ? 'POST' : 'GET', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', reject);
    });
    asking.setTimeout(TIMEOUT_MS, () => asking.destroy(new Error('no answer')));
    asking.on('error', reject);
    asking.end(body);
  });
}
