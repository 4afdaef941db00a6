// The process that puts load on the gateway: creations, reads and rail notifications.
import { randomUUID } from 'node:crypto';
import { serveParent } from '../child.ts';
import { openConnections, writeHttp, type Connections } from '../http.ts';
import { runCounted, runPaced, runTimed, type CountedLoad, type PacedLoad, type TimedLoad } from '../load.ts';
import { writeScanNotice } from '../rail.ts';
import { nextReference, WEBFRAME, writeCreation, type Access } from '../sample.ts';

export type Payment = { id: string; clientToken: string; reference: string };

type ReadOptions = Access & TimedLoad & { ids: string[] };
type CreateOptions = Access & CountedLoad & { metadata?: object };
type ScanOptions = { url: string; attemptIds: string[] };

serveParent({
  /** Creates payments. Returns the creations per second. */
  create: (options: Access & TimedLoad): Promise<number> =>
    withConnections(options.url, options.concurrency, ({ send }) =>
      runTimed(options, () => send(writeCreation(options, nextReference(), WEBFRAME), 201)),
    ),
  /** Reads payments. Returns the reads per second. */
  read: ({ url, token, ids, ...load }: ReadOptions): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
    const requests = ids.map((id) => writeHttp('GET', new URL(`/api/payments/${id}`, url), headers));
    let nth = 0;
    return withConnections(url, load.concurrency, ({ send }) =>
      runTimed(load, () => send(requests[nth++ % requests.length] as string, 200)),
    );
  },
  createMany: (options: CreateOptions): Promise<Payment[]> =>
    withConnections(options.url, options.concurrency, ({ send }) =>
      runCounted(options, async () => {
        const reference = nextReference();
        const reply = await send(writeCreation(options, reference, options.metadata ?? WEBFRAME), 201);
        const { id, clientToken } = JSON.parse(reply.body) as Payment;
        return { id, clientToken, reference };
      }),
    ),
  /** Sends notifications about scans of the QR codes in turn, each as soon as an earlier one got its response. */
  async scan({ url, attemptIds, ...load }: ScanOptions & CountedLoad): Promise<void> {
    await withConnections(url, load.concurrency, ({ send }) =>
      runCounted(load, (nth) => send(writeScanNotice(url, pick(attemptIds, nth), randomUUID()), 200)),
    );
  },
  /** Sends notifications about scans at a fixed rate. Returns the ids of the transactions. */
  async scanPaced({ url, attemptIds, ...load }: ScanOptions & PacedLoad): Promise<string[]> {
    const ids = Array.from({ length: load.count }, () => randomUUID());
    await withConnections(url, 64, ({ send }) =>
      runPaced(load, (nth) => send(writeScanNotice(url, pick(attemptIds, nth), pick(ids, nth)), 200)),
    );
    return ids;
  },
});

async function withConnections<T>(url: string, count: number, run: (open: Connections) => Promise<T>): Promise<T> {
  const connections = await openConnections(url, count);
  return run(connections).finally(connections.close);
}

function pick(values: string[], nth: number): string {
  return values[nth % values.length] as string;
}
