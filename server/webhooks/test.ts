// Tests of an endpoint: one sample is sent, once, and the answer tells what came of it.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction, repeatOnDuplicate } from '../database/orm.ts';
import { findStored, keepKey, type Keyed, replay, type StoredAnswer } from '../http/idempotency.ts';
import { Problem, tryLater, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { describeDelivery, findDelivery } from './deliveries.ts';
import { Delivery, type Endpoint } from './entities.ts';
import { findCallbackEndpoint, takeTurn } from './endpoints.ts';
import { probeNow } from './record.ts';
import { wakeDeliveries } from './queue.ts';
import type { CallbackDeps } from './schemas.ts';
import { testRequest } from './schemas.ts';
import { deliveryDetails } from './view.ts';

/** An attempt takes 10 s at most; whoever waits longer is told how far it came. */
const WAIT_MS = 12_000;
/** Another node may send it, whose word does not reach this one. */
const LOOK_MS = 1_000;
/** Somebody waits for it: it goes out before everything else that is due. */
const BEFORE_ALL = new Date(0);
/** What may pass beside the waiting, until a key's first request surely has ended. */
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
        'To your callback endpoint, with the header `Balcao-Test: true`, once. Answers when it was answered, after 12 s at most; a failure is told in `status` and `attempts`, not as a refusal.',
      access: { kind: 'bearer', scope: 'merchant:write' },
      bucket: 'write',
      body: testRequest.optional(),
      bodyDoc: testRequest,
      idempotent: true,
      example: { type: 'PPR' },
      refusals: { 409: 'callback_not_configured, idempotency_in_progress' },
      answers: { 200: { description: 'What came of it', schema: deliveryDetails } },
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

export type TestOrder = {
  merchantId: string;
  keyed: Keyed | null;
  type: string;
  /** @throws Problem when there is none */
  find(db: Db): Promise<Endpoint>;
};

/**
 * Commits the test, waits for its attempt, and answers the delivery; under a key it is sent once, whoever asks.
 * @throws Problem idempotency_key_reused, idempotency_in_progress
 */
export async function sendTest(core: Core, deps: CallbackDeps, order: TestOrder): Promise<Answer> {
  const id = uuid();
  // Listening before anybody can be done with it.
  const watch = watchDelivery(core, id);
  try {
    const stored = await repeatOnDuplicate(() => inTransaction(core, (db) => insertTest(core, db, id, order)));
    if (stored) return await resume(core, deps, order, stored);
    const isOver = await watch.untilOver(order.merchantId);
    // A node that stops leaves the answer to whoever asks again.
    return answerTest(core, deps, isOver ? order : { ...order, keyed: null }, id);
  } finally {
    watch.stop();
  }
}

/** Nothing when it was written; else what is stored under the key. */
async function insertTest(
  core: Core,
  db: Db,
  id: string,
  { merchantId, keyed, type, find }: TestOrder,
): Promise<StoredAnswer | null> {
  const stored = keyed && (await findStored.first(db, { merchantId, key: keyed.key }));
  if (stored) return stored;
  await takeTurn(db, merchantId);
  const { id: endpointId } = await find(db);
  const now = core.clock.now();
  const about = { id, merchantId, endpointId, kind: 'test', type, status: 'Pending' } as const;
  await em(db).insert(Delivery, { ...about, attempts: 0, tries: 0, dueAt: BEFORE_ALL, createdAt: now });
  await probeNow(db, merchantId, now);
  const inFlightUntil = new Date(now.getTime() + WAIT_MS + MARGIN_MS);
  await keepKey(db, { merchantId, keyed }, { paymentId: id, inFlightUntil }, now);
  db.afterCommit?.(() => wakeDeliveries(core, merchantId));
  return null;
}

/** The first answer again; where nobody lived to give it, what is recorded. */
async function resume(core: Core, deps: CallbackDeps, order: TestOrder, stored: StoredAnswer): Promise<Answer> {
  const keyed = order.keyed as Keyed;
  const leftMs = (stored.inFlightUntil?.getTime() ?? 0) - core.clock.now().getTime();
  if (stored.status !== null || stored.fingerprint !== keyed.fingerprint) return replay(stored, keyed);
  if (leftMs > 0) throw tryLater('idempotency_in_progress', leftMs / 1000);
  return answerTest(core, deps, order, stored.paymentId as string);
}

/** The delivery as it is; whoever stores it first under the key decides, and everybody answers that. */
async function answerTest(core: Core, deps: CallbackDeps, order: TestOrder, id: string): Promise<Answer> {
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

/** Looks at a delivery whenever something is heard of it, and every second. */
function watchDelivery(core: Core, id: string) {
  let hear = () => {};
  let heard = new Promise<void>((resolve) => (hear = resolve));
  const unsubscribe = core.changes.subscribe(`delivery:${id}`, () => hear());
  const finished = new AbortController();
  const signal = AbortSignal.any([finished.signal, core.stopping]);
  return {
    /** False when the node stops first. */
    async untilOver(merchantId: string): Promise<boolean> {
      const end = core.clock.now().getTime() + WAIT_MS;
      for (;;) {
        const { status } = await findDelivery(core, { merchantId, id });
        const leftMs = end - core.clock.now().getTime();
        if (status !== 'Pending' || leftMs <= 0) return true;
        if (core.stopping.aborted) return false;
        await Promise.race([heard, core.clock.wait(Math.min(LOOK_MS, leftMs), signal)]);
        heard = new Promise<void>((resolve) => (hear = resolve));
      }
    },
    stop() {
      unsubscribe();
      finished.abort();
    },
  };
}
