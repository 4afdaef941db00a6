// balcao listen: forwards a merchant's callbacks to a program on this machine, as they happen.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { sendMessage, type Result } from '../webhooks/send.ts';
import { systemClock } from '../clock.ts';
import { VERSION } from '../config.ts';
import { textOf, UsageError, type Call, type Command, type Shell } from './command.ts';
import { eventPage, followEvents, type FeedEvent } from './follow.ts';
import { readUrl } from './find-gateway.ts';
import { connectGateway, FRESH_CONNECTIONS, GATEWAY_OPTIONS, type Gateway } from './gateway.ts';

export const listen: Command = {
  usage: '--forward-to http://localhost:3000/hook [options]',
  options: {
    'forward-to': { type: 'string', value: 'url', about: 'where your program takes callbacks: any http(s) address' },
    'access-key': { type: 'string', value: 'key', about: 'sent as Access-Key (a random one, printed at the start)' },
    after: {
      type: 'string',
      value: 'cursor',
      default: 'now',
      about: 'begin after this cursor of the event feed; 0: all',
    },
    ...GATEWAY_OPTIONS,
  },
  notes: `Callbacks of payment references and QR codes are forwarded, once each, whether or not the merchant has an endpoint set:
your program is beside it, and what it answers changes nothing at the gateway. Ctrl-C ends it. With --json: a line of JSON each.
The client needs the scopes payments:read and merchant:read.`,
  async run(call, shell) {
    const { target, after } = readCall(call);
    const gateway = connectGateway(call, shell.env);
    const stop = shell.untilStopped();
    const cursor = after === 'now' ? await findEnd(gateway) : after;
    announceStart({ call, shell, gateway, target }, cursor);
    const seen = new Set<string>();
    await followEvents({
      gateway,
      after: cursor,
      stop,
      take: (event) => takeEvent({ call, shell, gateway, target, seen, stop }, event),
      onLost: (why, waitMs) => shell.complain(`${timeOf()}  Lost the gateway: ${why} Again in ${waitMs / 1_000} s.`),
      onBack: () => shell.complain(`${timeOf()}  Back. What happened meanwhile follows.`),
    });
    return undefined;
  },
};

/** @throws UsageError */
function readCall(call: Call): { target: ForwardTarget; after: string } {
  const forwardTo = textOf(call, 'forward-to');
  if (!forwardTo) throw new UsageError('listen needs --forward-to, such as --forward-to http://localhost:3000/hook');
  const { href: url } = readUrl('forward-to', forwardTo);
  const accessKey = textOf(call, 'access-key') ?? randomBytes(18).toString('base64url');
  if (!/^[\x21-\x7e]{1,256}$/.test(accessKey)) throw new UsageError('--access-key must be visible ASCII characters');
  const after = textOf(call, 'after') ?? 'now';
  if (!/^(now|\d{1,15})$/.test(after))
    throw new UsageError('--after must be a cursor of the event feed: digits, or now');
  if (call.positionals.length > 0) throw new UsageError(`listen takes no ${call.positionals[0]}`);
  return { target: { url, accessKey }, after };
}

/** Everything that happens from here on is heard, however long the first connection takes. */
async function findEnd(gateway: Gateway): Promise<string> {
  return (await gateway.ask(eventPage, 'GET', '/api/events?after=now&limit=1')).next;
}

type Started = { call: Call; shell: Shell; gateway: Gateway; target: ForwardTarget };

function announceStart({ call, shell, gateway: { url, clientId }, target }: Started, after: string): void {
  const words = `Listening at ${url} as ${clientId}. Callbacks go to ${target.url}
with Access-Key: ${target.accessKey}
Ctrl-C ends.
`;
  const json = { listening: url, clientId, forwardTo: target.url, ...target, after };
  shell.say(call.isJson ? JSON.stringify(json) : words);
}

type Listening = Started & { seen: Set<string>; stop: AbortSignal };

async function takeEvent({ call, shell, gateway, target, seen, stop }: Listening, event: FeedEvent): Promise<void> {
  const { transactionId } = event.details;
  // One payment may make several events, and one callback.
  if (!event.type.startsWith('payment.') || !transactionId || seen.has(transactionId)) return;
  const callback = await findCallback(gateway, event);
  seen.add(transactionId);
  if (!callback) return;
  const result = await forwardCallback(target, callback, stop);
  shell.say(
    call.isJson ? JSON.stringify(viewLine(event, callback, result)) : describe(event, callback, result, target),
  );
}

function viewLine({ paymentId, cursor }: FeedEvent, { id, type, transactionId, body }: Callback, result: Result) {
  const { outcome, status, answer, error, durationMs } = result;
  const about = { at: systemClock.now().toISOString(), deliveryId: id, type, paymentId, transactionId, cursor };
  return { ...about, outcome, status, answer, error, durationMs, body };
}

/** `12:04:31  callback.ppr  123456789  1500 AOA  → 200 Success`. */
function describe({ data }: FeedEvent, { type, body }: Callback, result: Result, { url }: ForwardTarget): string {
  const reference = body['refPagamento'] ?? body['merchantReferenceNumber'];
  const amount = body['montantePago'] ?? body['amount'];
  const money = [amount, data?.currency].filter((part) => part !== undefined).join(' ');
  return [timeOf(), type, reference, money, `→ ${sayResult(result, url)}`].join('  ');
}

/** What came of it, in the gateway's judgement. */
function sayResult({ outcome, status, answer, error }: Result, url: string): string {
  const said = (answer ?? '').replace(/\s+/g, ' ').slice(0, 200) || 'nothing';
  if (outcome === 'delivered') return `${status} Success`;
  if (outcome === 'refused') return `${status}, not confirmed: it must say { "Success": true }, and said ${said}`;
  if (outcome === 'status') return `${status}, not confirmed: ${said}`;
  if (outcome === 'timeout') return 'no answer in 10 s';
  if (outcome === 'unreachable') return `not delivered: nothing answers at ${url}`;
  return `not confirmed: ${error}`;
}

const timeOf = () => systemClock.now().toTimeString().slice(0, 8);

const listed = z.object({ id: z.string(), kind: z.string(), type: z.string(), transactionId: z.string().nullable() });
const deliveryPage = z.object({ data: z.array(listed), totalPages: z.number() });
const details = listed.extend({ body: z.looseObject({}) });

/** A callback with what it says. */
export type Callback = z.output<typeof details>;

/** The callback that an event made; null where its money is of a kind that is told by none. */
export async function findCallback(
  gateway: Gateway,
  { paymentId, details: said }: FeedEvent,
): Promise<Callback | null> {
  const { transactionId } = said;
  if (!paymentId || !transactionId) return null;
  for (let page = 1; ; page++) {
    const path = `/api/callbacks?paymentId=${paymentId}&pageSize=100&page=${page}`;
    const { data, totalPages } = await gateway.ask(deliveryPage, 'GET', path);
    const found = data.find((one) => one.kind === 'callback' && one.transactionId === transactionId);
    if (found) return gateway.ask(details, 'GET', `/api/callbacks/${found.id}`);
    if (page >= totalPages) return null;
  }
}

export type ForwardTarget = { url: string; accessKey: string };

/** Sends it, once; never throws. @param stop breaks it off */
export function forwardCallback(
  { url, accessKey }: ForwardTarget,
  { id, body }: Callback,
  stop: AbortSignal,
): Promise<Result> {
  const text = JSON.stringify(body);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    'User-Agent': `Balcao/${VERSION} (listen)`,
    'Access-Key': accessKey,
    'Balcao-Delivery': id,
    'Balcao-Attempt': '1',
  };
  return sendMessage(systemClock, aimAnywhere(stop), 'callback', { url, headers, body: text });
}

/** The developer chose the address: no guard stands before it. */
function aimAnywhere(signal: AbortSignal) {
  return {
    aim: (url: string) => ({ url, connections: FRESH_CONNECTIONS, signal }),
    check: async () => null,
    close: () => {},
  };
}
