// Tests an endpoint: sends one sample delivery once, and returns the result of the attempt.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction, repeatOnDuplicate } from '../database/orm.ts';
import { findStored, storeKey, type Keyed, replay, type StoredAnswer } from '../http/idempotency.ts';
import { Problem, tryLater, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { describeDelivery, findDelivery } from './deliveries.ts';
import { Delivery, type Endpoint } from './entities.ts';
import { findCallbackEndpoint, lockEndpoints } from './endpoints.ts';
import { probeEndpointsNow } from './record.ts';
import { wakeDeliveries } from './queue.ts';
import type { CallbackDeps } from './schemas.ts';
import { testRequest } from './schemas.ts';
import { deliveryDetails } from './view.ts';

/** The longest wait of a request for its test. An attempt takes at most 10 s. Later, the current state is returned. */
const WAIT_MS = 12_000;
/** The poll interval of a waiting test. Another node may send the test, and its change notification may be lost. */
const POLL_MS = 1_000;
/** The due time of a test delivery. It is the earliest, because the merchant waits for the result. */
const BEFORE_ALL_OTHERS = new Date(0);
/** The margin after WAIT_MS. When it has passed, the first request of a key has certainly ended. */
const MARGIN_MS = 5_000;

const SAMPLES = { PPR: 'callback.ppr', QR: 'callback.qrcode' } as const;

export function testRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/callbacks/test',
      operationId: 'testCallbackEndpoint',
      tag: 'Callbacks',
      summary: 'Send a sample callback',
      description:
        'Sends one sample to your callback endpoint, with the header `Balcao-Test: true`. ' +
        'The response follows the answer of your server, after 12 s at most. ' +
        '`status` and `attempts` report a failure. It is not an error response.',
      access: { kind: 'bearer', scope: 'merchant:write' },
      bucket: 'write',
      body: testRequest.optional(),
      bodyDoc: testRequest,
      idempotent: true,
      example: { type: 'PPR' },
      refusals: { 409: 'callback_not_configured, idempotency_in_progress' },
      answers: { 200: { description: 'The result of the test', schema: deliveryDetails } },
      run({ caller, body, keyed }) {
        const { merchantId } = caller;
        const find = async (db: Db) => {
          const endpoint = await findCallbackEndpoint(db, merchantId);
          if (!endpoint) throw new Problem('callback_not_configured');
          return endpoint;
        };
        return sendTest(core, deps, { merchantId, keyed, find, type: SAMPLES[body?.type ?? 'PPR'] });
      },
    }),
  ];
}

export type TestRequest = {
  merchantId: string;
  keyed: Keyed | null;
  type: string;
  /** Finds the endpoint to test. @throws Problem if the merchant has no endpoint */
  find(db: Db): Promise<Endpoint>;
};

/**
 * Commits the test delivery, waits for its attempt, and returns the delivery.
 * Requests with the same Idempotency-Key send the test once.
 * @throws Problem idempotency_key_reused, idempotency_in_progress
 */
export async function sendTest(core: Core, deps: CallbackDeps, order: TestRequest): Promise<Answer> {
  const id = uuid();
  // The subscription starts before the commit, so that no notification of the result is missed.
  const watch = watchDelivery(core, id);
  try {
    const stored = await repeatOnDuplicate(() => inTransaction(core, (db) => insertTest(core, db, id, order)));
    if (stored) return await resume(core, deps, order, stored);
    const isFinished = await watch.untilFinished(order.merchantId);
    // A stopping node stores no response under the key, so that a repeated request returns the final result.
    return answerTest(core, deps, isFinished ? order : { ...order, keyed: null }, id);
  } finally {
    watch.stop();
  }
}

/** Inserts the test delivery and returns null. If the key was used before, returns the stored response instead. */
async function insertTest(
  core: Core,
  db: Db,
  id: string,
  { merchantId, keyed, type, find }: TestRequest,
): Promise<StoredAnswer | null> {
  const stored = keyed && (await findStored.first(db, { merchantId, key: keyed.key }));
  if (stored) return stored;
  await lockEndpoints(db, merchantId);
  const { id: endpointId } = await find(db);
  const now = core.clock.now();
  const about = { id, merchantId, endpointId, kind: 'test', type, status: 'Pending' } as const;
  await em(db).insert(Delivery, { ...about, attempts: 0, tries: 0, dueAt: BEFORE_ALL_OTHERS, createdAt: now });
  await probeEndpointsNow(db, merchantId, now);
  const inFlightUntil = new Date(now.getTime() + WAIT_MS + MARGIN_MS);
  await storeKey(db, { merchantId, keyed }, { paymentId: id, inFlightUntil }, now);
  db.afterCommit?.(() => wakeDeliveries(core, merchantId));
  return null;
}

/** Replays the first response. If the first node died before its response, returns the recorded state. */
async function resume(core: Core, deps: CallbackDeps, order: TestRequest, stored: StoredAnswer): Promise<Answer> {
  const keyed = order.keyed as Keyed;
  const leftMs = (stored.inFlightUntil?.getTime() ?? 0) - core.clock.now().getTime();
  if (stored.status !== null || stored.fingerprint !== keyed.fingerprint) return replay(stored, keyed);
  if (leftMs > 0) throw tryLater('idempotency_in_progress', leftMs / 1000);
  return answerTest(core, deps, order, stored.paymentId as string);
}

/** Returns the current delivery. Under one key, the first stored response wins, and all requests return it. */
async function answerTest(core: Core, deps: CallbackDeps, order: TestRequest, id: string): Promise<Answer> {
  const { merchantId, keyed } = order;
  const body = JSON.stringify(await describeDelivery(core, deps, { merchantId, id }));
  if (!keyed) return { status: 200, body };
  const stored = await storeAnswer.first(core, { merchantId, key: keyed.key, body });
  return { status: 200, body: stored?.body ?? body };
}

type KeyedAnswer = { merchantId: string; key: string; body: string };

const storeAnswer = prepared((tables, { merchantId, key, body }: KeyedAnswer) =>
  tables
    .updateTable('idempotency_keys')
    .set((eb) => ({
      body: eb.case().when('status', 'is', null).then(body).else(eb.ref('body')).end(),
      status: eb.fn.coalesce('status', eb.lit(200)),
      inFlightUntil: null,
    }))
    .where('merchantId', '=', merchantId)
    .where('key', '=', key)
    .returning('body'),
);

/** Reads a test delivery after each of its change notifications, and every second. */
function watchDelivery(core: Core, id: string) {
  let notify = () => {};
  let notified = new Promise<void>((resolve) => (notify = resolve));
  const unsubscribe = core.changes.subscribe(`delivery:${id}`, () => notify());
  const finished = new AbortController();
  const signal = AbortSignal.any([finished.signal, core.stopping]);
  return {
    /** Waits until the delivery is finished or WAIT_MS have passed. False if the node stops before. */
    async untilFinished(merchantId: string): Promise<boolean> {
      const end = core.clock.now().getTime() + WAIT_MS;
      for (;;) {
        const { status } = await findDelivery(core, { merchantId, id });
        const leftMs = end - core.clock.now().getTime();
        if (status !== 'Pending' || leftMs <= 0) return true;
        if (core.stopping.aborted) return false;
        await Promise.race([notified, core.clock.wait(Math.min(POLL_MS, leftMs), signal)]);
        notified = new Promise<void>((resolve) => (notify = resolve));
      }
    },
    stop() {
      unsubscribe();
      finished.abort();
    },
  };
}
