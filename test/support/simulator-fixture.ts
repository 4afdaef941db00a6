// A simulator of all three rails with a client of each, and a server that keeps its notifications.
import { createServer } from 'node:http';
import { expect } from 'vitest';
import { signMessage, verifySignature } from '../../server/http/signature.ts';
import { createRefundRail } from '../../server/providers/balcao-refund.ts';
import { createGpoRail } from '../../server/providers/gpo/client.ts';
import { createPprRail } from '../../server/providers/ppr/client.ts';
import { createSmsRail } from '../../server/providers/sms/client.ts';
import { testClock } from './clock.ts';
import { querySql } from './database.ts';
import { listen } from './listen.ts';
import { gpoById, pprById, smsById, startLoneRail, type RailReply } from './lone-rail.ts';
import { stopLater } from './stop-later.ts';

export const RAIL_KEYS = { gpo: 'a key for GPO only', ppr: 'a key for PPR only', sms: 'a key for SMS only' };
export const CLIENT_TIMEOUT_MS = 10_000;

/** The simulator repeats a notification whose answer is not recorded after this time. */
const NOTIFY_LEASE_MS = 20_000;

type Rail = keyof typeof RAIL_KEYS;

/** A received notification. */
type Notified = { rail: Rail; isSigned: boolean; text: string; json: any };

export type SimulatorFixture = Awaited<ReturnType<typeof openSimulatorFixture>>;

export async function openSimulatorFixture() {
  const clock = testClock();
  const notified: Notified[] = [];
  /** The first response statuses for notifications that contain an id. All later notifications get 200. */
  const refusals = new Map<string, number[]>();
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray());
    const rail = req.url!.split('/').at(-2) as Rail;
    const message = { method: 'POST', path: `/rails/${rail}/notifications`, body };
    const text = body.toString();
    const isSigned = verifySignature(RAIL_KEYS[rail], message, req.headers, clock.now());
    notified.push({ rail, isSigned, text, json: text.startsWith('{') ? JSON.parse(text) : null });
    const [, statuses] = [...refusals].find(([id]) => text.includes(id)) ?? [];
    res.writeHead(statuses?.shift() ?? 200).end();
  });
  // The signature covers the path without this prefix.
  const base = `${await listen(server)}/some/prefix`;
  const options = {
    clock,
    key: RAIL_KEYS.gpo,
    notifyUrl: () => `${base}/rails/gpo/notifications`,
    pprKey: RAIL_KEYS.ppr,
    pprNotifyUrl: () => `${base}/rails/ppr/notifications`,
    smsKey: RAIL_KEYS.sms,
    smsNotifyUrl: () => `${base}/rails/sms/notifications`,
  };
  const lone = await startLoneRail(options);
  const reach = (rail: Rail, key = RAIL_KEYS[rail]) => ({ url: lone.url, key, timeoutMs: CLIENT_TIMEOUT_MS, clock });

  return stopLater({
    ...lone,
    options,
    clock,
    notified,
    refuse: (id: string, statuses: number[]) => void refusals.set(id, statuses),
    gpo: gpoById(createGpoRail(reach('gpo'))),
    ppr: pprById(createPprRail(reach('ppr'))),
    sms: smsById(createSmsRail(reach('sms'))),
    refunds: { gpo: createRefundRail(reach('gpo')), ppr: createRefundRail(reach('ppr')) },
    /** Calls the simulator like Balcão. `headers` replace the valid signature. */
    async sign(rail: Rail, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const text = body === undefined ? '' : JSON.stringify(body);
      const signed = signMessage(RAIL_KEYS[rail], { method, path, body: text }, clock.now());
      const answer = await fetch(lone.url + path, { method, headers: headers ?? signed, body: text || null });
      const content = await answer.text();
      return { status: answer.status, body: content ? JSON.parse(content) : null } as RailReply;
    },
    /** Returns the notifications about an order or a reference, by its id or its digits. */
    about(id: string) {
      const named = ({ purchase, authorization, capture, void: voided, refund, payment, message, reply }: any) =>
        [purchase ?? authorization ?? capture ?? voided ?? refund ?? message, payment, reply].some(
          (thing) => thing && [thing.id, thing.qrCodeId, thing.reference, thing.messageId].includes(id),
        );
      return notified.filter(({ json }) => json && named(json));
    },
    /**
     * Waits until the answers of sent notifications are recorded, of all or of those about orders with these ids.
     * A leap of the clock before would make the simulator repeat them.
     */
    async untilRecorded(ids: string[] | null = null) {
      const open = `select id from simulator.notifications
        where due_at <= $1 and ($2::text[] is null or purchase_id = any($2))`;
      await eventually(() => {
        const soon = new Date(clock.now().getTime() + NOTIFY_LEASE_MS);
        return querySql(lone.databaseUrl, open, [soon, ids]);
      }).toEqual([]);
    },
    async stop() {
      await lone.stop();
      server.close().closeAllConnections();
    },
  });
}

export const eventually = (look: () => unknown) => expect.poll(look, { interval: 10 });

/** Each fault of a request, with the client's result and whether the request took effect. */
export const REQUEST_FAULTS = [
  ['unavailable', 'rail_error', false],
  ['reset_before', 'connection', false],
  ['reset_after', 'connection', true],
  ['garbage', 'unreadable', true],
  ['hang', 'timeout', true],
  ['delay', 'timeout', true],
] as const;
