// Reads CSV exports completely, or stops reading to test exports that wait for a slow client.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

/** Parses the cells of a CSV file (RFC 4180) with any separator. @throws if a quote is not closed */
export function parseCsv(text: string, separator: string): string[][] {
  const lines: string[][] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"\\r\\n${separator}]*))(${separator}|\\r\\n)`, 'y');
  let line: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain, end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell at ${at}: ${JSON.stringify(text.slice(at, at + 80))}`);
    line.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== '\r\n') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}

/** Returns the rows of a CSV file as objects. The header row names the fields. */
export function readCsv(text: string, separator: string): Record<string, string>[] {
  const [names = [], ...lines] = parseCsv(text.replace(/^\uFEFF/, ''), separator);
  return lines.map((cells) => Object.fromEntries(names.map((name, nth) => [name, cells[nth] ?? ''])));
}

/** Requests an export without reading the response, so that the socket buffers fill up and the export waits. */
export async function openExport(url: string, token: string): Promise<IncomingMessage> {
  const pendingRequest = request(url, {
    agent: false,
    headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
  });
  // A connection that breaks later makes the read of the response fail.
  pendingRequest.on('error', () => {});
  pendingRequest.end();
  const [answer] = (await once(pendingRequest, 'response')) as [IncomingMessage];
  return answer.on('error', () => {});
}

/** Reads the beginning of an export, and does not read the rest. */
export async function takeSome(answer: IncomingMessage): Promise<string> {
  await once(answer, 'readable');
  return String(answer.read());
}

/** Reads an export to its end. Returns whether the export was complete. */
export async function takeAll(answer: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!answer.closed) await once(answer, 'close').catch(() => {});
  return { text: Buffer.concat(chunks).toString('utf8'), isWhole: answer.complete };
}

/** Inserts payments of a merchant, each a second older than the previous one, or all with the same time. */
export function writePayments({ count, isOneMoment = false, length = 1 }: PaymentRows): string {
  const at = isOneMoment ? '$2::timestamptz' : `$2::timestamptz - nth * interval '1 second'`;
  return `insert into payments (id, merchant_id, reference, amount_minor, currency, payment_type, payment_method,
    status,
      revision, description, attempts_made, created_at)
    select gen_random_uuid(), $1, 'R' || nth, 150000 + nth, 'AOA', 'GPO', 'webframe', 'Pending',
      1, repeat('x', ${length}), 0, ${at} from generate_series(1, ${count}) nth`;
}

type PaymentRows = { count: number; isOneMoment?: boolean; length?: number };
