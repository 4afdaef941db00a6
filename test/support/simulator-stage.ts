// A simulator of all three rails alone, with a client of each, and a gateway's end that keeps and counts what it is told.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { signMessage, verifySignature } from '../../server/http/signature.ts';
import { createRefundRail } from '../../server/providers/balcao-refund.ts';
import { createGpoRail } from '../../server/providers/gpo/client.ts';
import { createPprRail } from '../../server/providers/ppr/client.ts';
import { createSmsRail } from '../../server/providers/sms/client.ts';
import { testClock } from './clock.ts';
import { startLoneRail, type RailReply } from './lone-rail.ts';
import { gpoById } from './rail-by-id.ts';
import { pprById } from './rail-by-id.ts';
import { smsById } from './rail-by-id.ts';

export const STAGE_KEYS = { gpo: 'a key for GPO only', ppr: 'a key for PPR only', sms: 'a key for SMS only' };
export const STAGE_TIMEOUT_MS = 10_000;

type Rail = keyof typeof STAGE_KEYS;

/** One notification as it came. */
export type Told = { rail: Rail; isSigned: boolean; text: string; json: any };

export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Starts it; everything it does goes by `clock`. */
export async function startStage() {
  const clock = testClock();
  const told: Told[] = [];
  /** What is answered first to notifications with this id in them; 200 afterwards, and to any other. */
  const refusals = new Map<string, number[]>();
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const rail = req.url!.split('/').at(-2) as Rail;
    const message = { method: 'POST', path: `/rails/${rail}/notifications`, body };
    const text = body.toString();
    const isSigned = verifySignature(STAGE_KEYS[rail], message, req.headers, clock.now());
    told.push({ rail, isSigned, text, json: text.startsWith('{') ? JSON.parse(text) : null });
    const [, statuses] = [...refusals].find(([id]) => text.includes(id)) ?? [];
    res.writeHead(statuses?.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Behind a prefix, which is not signed.
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/prefix`;
  const options = {
    clock,
    key: STAGE_KEYS.gpo,
    notifyUrl: () => `${base}/rails/gpo/notifications`,
    pprKey: STAGE_KEYS.ppr,
    pprNotifyUrl: () => `${base}/rails/ppr/notifications`,
    smsKey: STAGE_KEYS.sms,
    smsNotifyUrl: () => `${base}/rails/sms/notifications`,
  };
  const lone = await startLoneRail(options);
  const reach = (rail: Rail, key = STAGE_KEYS[rail]) => ({ url: lone.url, key, timeoutMs: STAGE_TIMEOUT_MS, clock });

  return {
    ...lone,
    options,
    clock,
    told,
    refuse: (id: string, statuses: number[]) => void refusals.set(id, statuses),
    gpo: gpoById(createGpoRail(reach('gpo'))),
    ppr: pprById(createPprRail(reach('ppr'))),
    sms: smsById(createSmsRail(reach('sms'))),
    refunds: { gpo: createRefundRail(reach('gpo')), ppr: createRefundRail(reach('ppr')) },
    /** A call as Balcão makes it; `headers` in place of the right signature. */
    async sign(rail: Rail, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const text = body === undefined ? '' : JSON.stringify(body);
      const signed = signMessage(STAGE_KEYS[rail], { method, path, body: text }, clock.now());
      const answer = await fetch(lone.url + path, { method, headers: headers ?? signed, body: text || null });
      const content = await answer.text();
      return { status: answer.status, body: content ? JSON.parse(content) : null } as RailReply;
    },
    async books(reference?: string): Promise<any> {
      return (await lone.call(`/books${reference ? `?reference=${encodeURIComponent(reference)}` : ''}`)).body;
    },
    /** What came of this thing, in order: by its own id, or its digits. */
    about(id: string) {
      const named = ({ purchase, authorization, capture, void: voided, refund, payment, message, reply }: any) =>
        [purchase ?? authorization ?? capture ?? voided ?? refund ?? message, payment, reply].some(
          (thing) => thing && [thing.id, thing.qrCodeId, thing.reference, thing.messageId].includes(id),
        );
      return told.filter(({ json }) => json && named(json));
    },
    async stop() {
      await lone.stop();
      server.close().closeAllConnections();
    },
  };
}

export const eventually = (look: () => unknown) => expect.poll(look, { timeout: 30_000, interval: 10 });

/** What goes wrong with a request, how Balcão's client takes it, and whether it had its effect. */
export const REQUEST_FAULTS = [
  ['unavailable', 'rail_error', false],
  ['reset_before', 'connection', false],
  ['reset_after', 'connection', true],
  ['garbage', 'unreadable', true],
  ['hang', 'timeout', true],
  ['delay', 'timeout', true],
] as const;
