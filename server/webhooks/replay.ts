// Replays deliveries: one delivery in any status, or all that match a filter.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { query, type Db } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { filterBy, listOne, lockDelivery, type DeliveryCondition, type OwnedDelivery } from './deliveries.ts';
import { probeEndpointsNow } from './record.ts';
import { wakeDeliveries } from './queue.ts';
import { byDelivery, replayRequest } from './schemas.ts';
import { lockEndpoints } from './endpoints.ts';
import { listedDelivery } from './view.ts';

const about = {
  tag: 'Callbacks',
  method: 'POST',
  access: { kind: 'bearer', scope: 'merchant:write' },
  bucket: 'write',
  idempotent: true,
} as const;

export function replayRoutes(core: Core): Route[] {
  return [declareReplay(core), declareReplayMany(core)];
}

function declareReplay(core: Core): Route {
  return route({
    ...about,
    path: '/api/callbacks/{deliveryId}/replay',
    operationId: 'replayCallback',
    summary: 'Send one callback again',
    description:
      'The callback is due at once, in any status, and is repeated for up to 72 hours from now. ' +
      'It goes to your current callback endpoint. A delivery to a webhook goes to that webhook. ' +
      'A delivery with a running attempt does not change.',
    params: byDelivery,
    refusals: {
      409: 'endpoint_not_configured; state_conflict: tests are not replayed; idempotency_in_progress',
    },
    answers: { 202: { description: 'The scheduled delivery', schema: listedDelivery } },
    run({ caller, params, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const owned = { merchantId, id: params.deliveryId };
        await replayOne(db, owned, core.clock.now());
        await probeEndpointsNow(db, merchantId, core.clock.now());
        db.afterCommit?.(() => wakeDeliveries(core, merchantId));
        return { status: 202, body: await listOne(db, owned) };
      });
    },
  });
}

/** Replays one delivery. @throws Problem not_found, endpoint_not_configured, state_conflict */
async function replayOne(db: Db, owned: OwnedDelivery, now: Date): Promise<void> {
  await lockEndpoints(db, owned.merchantId);
  const { kind, leasedUntil } = await lockDelivery(db, owned);
  if (kind === 'test')
    throw new Problem('state_conflict', { extra: { detail: 'A test is sent once. Send a new test instead.' } });
  if (leasedUntil && leasedUntil > now) return;
  const replayed = await replay(db, { merchantId: owned.merchantId, now }, (eb) => eb('deliveries.id', '=', owned.id));
  if (replayed === 0) throw new Problem('endpoint_not_configured');
}

function declareReplayMany(core: Core): Route {
  return route({
    ...about,
    path: '/api/callbacks/replay',
    operationId: 'replayCallbacks',
    summary: 'Send all callbacks again that match a filter',
    description:
      'Replays callbacks and webhooks; without `status`, the Abandoned and Skipped ones. ' +
      'Deliveries without an endpoint or with a running attempt do not change and are not counted.',
    body: replayRequest.optional(),
    bodyDoc: replayRequest,
    example: { from: '2027-03-01T08:00:00Z', to: '2027-03-01T12:00:00Z' },
    answers: {
      202: {
        description: 'The number of scheduled deliveries',
        schema: z.object({ replayed: z.int() }).meta({ id: 'Replay' }),
      },
    },
    run({ caller, body = {}, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await lockEndpoints(db, merchantId);
        const { kind, ...filter } = body;
        const replayed = await replay(db, { merchantId, now: core.clock.now() }, (eb) =>
          eb.and([
            filterBy(filter)(eb),
            ...(filter.status ? [] : [eb('deliveries.status', 'in', ['Abandoned', 'Skipped'])]),
            ...(kind ? [eb('deliveries.kind', '=', kind)] : []),
          ]),
        );
        await probeEndpointsNow(db, merchantId, core.clock.now());
        db.afterCommit?.(() => wakeDeliveries(core, merchantId));
        return { status: 202, body: { replayed } };
      });
    },
  });
}

/**
 * Makes deliveries due now and returns their number. Each delivery goes to its current endpoint.
 * A delivery with a running attempt does not change.
 */
function replay(
  db: Db,
  { merchantId, now }: { merchantId: string; now: Date },
  isSelected: DeliveryCondition,
): Promise<number> {
  return query((tables) =>
    tables
      .updateTable('deliveries')
      .from('endpoints as n')
      .set((eb) => ({
        status: 'Pending',
        dueAt: now,
        tries: 0,
        triesSince: null,
        deliveredAt: null,
        endpointId: eb.ref('n.id'),
      }))
      .where('deliveries.merchantId', '=', merchantId)
      .where('n.merchantId', '=', merchantId)
      .where('n.deletedAt', 'is', null)
      .whereRef('n.kind', '=', 'deliveries.kind')
      .where((eb) => eb.or([eb('n.kind', '=', 'callback'), eb('n.id', '=', eb.ref('deliveries.endpointId'))]))
      .where((eb) => eb.or([eb('deliveries.leasedUntil', 'is', null), eb('deliveries.leasedUntil', '<=', now)]))
      .where(isSelected),
  ).run(db);
}
