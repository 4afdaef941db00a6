// balcao listen: forwards a merchant's callbacks to a local program, for development.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { VERSION } from '../config.ts';
import { sendMessage, type Result } from '../webhooks/send.ts';
import { addGatewayOptions, connectGateway, FRESH_CONNECTIONS, type Gateway, type GatewayOptions } from './gateway.ts';
import { wantsJson } from './operate.ts';
import { CommandError, createPatternParser, readUrl, type Shell } from './shell.ts';

const readAccessKey = createPatternParser(/^[\x21-\x7e]{1,256}$/, 'visible ASCII characters');
const readCursor = createPatternParser(/^(now|\d{1,15})$/, 'a cursor of the event feed: digits, or now');

type Options = GatewayOptions & { forwardTo: URL; accessKey?: string; after: string };

export const commands = { listen: defineListen };

function defineListen(command: Command, shell: Shell): void {
  command
    .requiredOption('--forward-to <url>', 'the program, such as http://localhost:3000/hook', readUrl)
    .option('--access-key <key>', 'sent as Access-Key (a random one, printed at the start)', readAccessKey)
    .option('--after <cursor>', 'the cursor of the event feed to begin after; 0 is the oldest', readCursor, 'now');
  addGatewayOptions(command)
    .addHelpText(
      'after',
      `
Forwards each callback of payment references and QR codes once. The gateway ignores the program's answer.
The merchant needs no endpoint. Ctrl-C ends it. --json prints one line of JSON for each callback.
The client needs the scopes payments:read and merchant:read.`,
    )
    .action(async (options: Options) => listen(options, shell, wantsJson(command)));
}

async function listen(options: Options, shell: Shell, isForPrograms: boolean): Promise<void> {
  const gateway = connectGateway(options, shell.env);
  const accessKey = options.accessKey ?? randomBytes(18).toString('base64url');
  const target = { url: options.forwardTo.href, accessKey };
  const stop = shell.untilStopped();
  const after = options.after === 'now' ? await findEnd(gateway) : options.after;
  const { url, clientId } = gateway;
  const start = { listening: url, clientId, forwardTo: target.url, ...target, after };
  const words =
    `Listening at ${url} as ${clientId}. Callbacks go to ${target.url}\n` +
    `with Access-Key: ${accessKey}\nCtrl-C ends.\n`;
  shell.say(isForPrograms ? JSON.stringify(start) : words);
  const seen = new Set<string>();
  await followEvents({ gateway, after, stop, shell }, async (event) => {
    const { transactionId } = event.details;
    // Several events of one payment may refer to the same callback, which is forwarded once.
    if (!event.type.startsWith('payment.') || !transactionId || seen.has(transactionId)) return;
    const callback = await findCallback(gateway, event);
    seen.add(transactionId);
    if (!callback) return;
    const result = await forward(target, callback, stop);
    const line = isForPrograms
      ? JSON.stringify(viewLine(event, callback, result))
      : describe(event, callback, result, target.url);
    shell.say(line);
  });
}

const event = z.object({
  type: z.string(),
  paymentId: z.string().nullable(),
  details: z.looseObject({ transactionId: z.string().nullish() }),
  data: z.looseObject({ currency: z.string().optional() }).nullable(),
  cursor: z.string(),
});
type FeedEvent = z.output<typeof event>;
const eventPage = z.object({ data: z.array(event), next: z.string() });

/** Returns the current end of the event feed. Every later event is forwarded, even if connecting takes long. */
async function findEnd(gateway: Gateway): Promise<string> {
  return (await gateway.request(eventPage, 'GET', '/api/events?after=now&limit=1')).next;
}

const POLL_MS = 1_000;
const MAX_WAIT_MS = 10_000;

type Following = { gateway: Gateway; after: string; stop: AbortSignal; shell: Shell };

/** Polls the event feed until stopped. A page whose forwarding fails is read again. @throws CommandError if refused */
async function followEvents({ gateway, after, stop, shell }: Following, take: (event: FeedEvent) => Promise<void>) {
  let [cursor, failures] = [after, 0];
  while (!stop.aborted) {
    let waitMs = POLL_MS;
    try {
      const { data } = await gateway.request(eventPage, 'GET', `/api/events?after=${cursor}&limit=100`);
      if (failures > 0) shell.complain(`${timeOf()}  The gateway answers again. The missed events follow.`);
      failures = 0;
      for (const event of data) {
        if (stop.aborted) return;
        await take(event);
        cursor = event.cursor;
      }
      if (data.length > 0) waitMs = 0;
    } catch (error) {
      if (stop.aborted) return;
      if (!(error instanceof CommandError) || !error.isTemporary) throw error;
      waitMs = Math.min(POLL_MS * 2 ** failures++, MAX_WAIT_MS);
      shell.complain(`${timeOf()}  The gateway failed: ${error.message} Next try in ${waitMs / 1_000} s.`);
    }
    await sleep(waitMs, undefined, { signal: stop }).catch(() => {});
  }
}

function viewLine({ paymentId, cursor }: FeedEvent, { id, type, transactionId, body }: Callback, result: Result) {
  const { outcome, status, answer, error, durationMs } = result;
  const about = { at: systemClock.now().toISOString(), deliveryId: id, type, paymentId, transactionId, cursor };
  return { ...about, outcome, status, answer, error, durationMs, body };
}

/** Formats a forwarded callback as `12:04:31  callback.ppr  123456789  1500 AOA  → 200 Success`. */
function describe({ data }: FeedEvent, { type, body }: Callback, result: Result, url: string): string {
  const reference = body['refPagamento'] ?? body['merchantReferenceNumber'];
  const amount = body['montantePago'] ?? body['amount'];
  const money = [amount, data?.currency].filter((part) => part !== undefined).join(' ');
  return [timeOf(), type, reference, money, `→ ${describeResult(result, url)}`].join('  ');
}

/** Describes a callback's result. The gateway's own rule decides whether the callback is confirmed. */
function describeResult({ outcome, status, answer, error }: Result, url: string): string {
  const reply = (answer ?? '').replace(/\s+/g, ' ').slice(0, 200) || 'nothing';
  if (outcome === 'delivered') return `${status} Success`;
  if (outcome === 'refused') return `${status}, not confirmed: the answer must be { "Success": true }, not ${reply}`;
  if (outcome === 'status') return `${status}, not confirmed: ${reply}`;
  if (outcome === 'timeout') return 'no answer in 10 s';
  if (outcome === 'unreachable') return `not delivered: no program answers at ${url}`;
  return `not confirmed: ${error}`;
}

const timeOf = () => systemClock.now().toTimeString().slice(0, 8);

const listed = z.object({ id: z.string(), kind: z.string(), type: z.string(), transactionId: z.string().nullable() });
const deliveryPage = z.object({ data: z.array(listed), totalPages: z.number() });
const details = listed.extend({ body: z.looseObject({}) });
type Callback = z.output<typeof details>;

/** Returns the callback of the event's transaction, or null for a transaction without a callback. */
async function findCallback(gateway: Gateway, { paymentId, details: said }: FeedEvent): Promise<Callback | null> {
  if (!paymentId || !said.transactionId) return null;
  for (let page = 1; ; page++) {
    const path = `/api/callbacks?paymentId=${paymentId}&pageSize=100&page=${page}`;
    const { data, totalPages } = await gateway.request(deliveryPage, 'GET', path);
    const found = data.find(({ kind, transactionId }) => kind === 'callback' && transactionId === said.transactionId);
    if (found) return gateway.request(details, 'GET', `/api/callbacks/${found.id}`);
    if (page >= totalPages) return null;
  }
}

/** Sends a callback once. The developer chose the URL, so the SSRF guard for merchants' URLs does not apply. */
function forward(
  target: { url: string; accessKey: string },
  { id, body }: Callback,
  stop: AbortSignal,
): Promise<Result> {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    'User-Agent': `Balcao/${VERSION} (listen)`,
    'Access-Key': target.accessKey,
    'Balcao-Delivery': id,
    'Balcao-Attempt': '1',
  };
  const anywhere = {
    aim: (url: string) => ({ url, connections: FRESH_CONNECTIONS, signal: stop }),
    check: async () => null,
    close: () => {},
  };
  return sendMessage(systemClock, anywhere, 'callback', { url: target.url, headers, body: text });
}
