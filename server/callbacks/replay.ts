// Sending again what was delivered, abandoned or skipped: one delivery, or all that fit a filter.
import { z } from 'zod';
import type { Core } from '../core.ts';
import type { Db } from '../database/rows.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/stored.ts';
import { filterBy, findDelivery, listOne, type Owned } from './deliveries.ts';
import { probeNow } from './circuit.ts';
import type { CallbackDeps } from './routes.ts';
import { byDelivery, replayRequest } from './schemas.ts';
import { takeTurn } from './turn.ts';
import { listedDelivery } from './view.ts';

const about = {
  tag: 'Callbacks',
  method: 'POST',
  access: { kind: 'bearer', scope: 'merchant:write' },
  bucket: 'write',
  idempotent: true,
} as const;

export function replayRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [declareReplay(core, deps), declareReplayMany(core, deps)];
}

function declareReplay(core: Core, { wake }: CallbackDeps): Route {
  return route({
    ...about,
    path: '/api/callbacks/{deliveryId}/replay',
    operationId: 'replayCallback',
    summary: 'Send one callback again',
    description:
      'Whatever its status, it is due at once and repeated for up to 72 hours from now. It goes to your callback endpoint of now; one of a webhook to that webhook. One whose attempt is under way stays as it is.',
    params: byDelivery,
    refusals: {
      409: 'endpoint_not_configured; state_conflict: tests are not replayed; idempotency_in_progress',
    },
    answers: { 202: { description: 'It will be sent', schema: listedDelivery } },
    run({ caller, params, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const owned = { merchantId, id: params.deliveryId };
        await replayOne(db, owned, core.clock.now());
        await probeNow(db, merchantId, core.clock.now());
        db.afterCommit?.(() => wake(merchantId));
        return { status: 202, body: await listOne(db, owned) };
      });
    },
  });
}

/** @throws Problem not_found, endpoint_not_configured, state_conflict */
async function replayOne(db: Db, owned: Owned, now: Date): Promise<void> {
  await takeTurn(db, owned.merchantId);
  const { kind, leasedUntil } = await findDelivery(db, owned, 'for update');
  if (kind === 'test')
    throw new Problem('state_conflict', { extra: { detail: 'A test is sent once. Make another instead.' } });
  if (leasedUntil && leasedUntil > now) return;
  const replayed = await replay(db, ['deliveries.id = $3'], [owned.merchantId, now, owned.id]);
  if (replayed === 0) throw new Problem('endpoint_not_configured');
}

function declareReplayMany(core: Core, { wake }: CallbackDeps): Route {
  return route({
    ...about,
    path: '/api/callbacks/replay',
    operationId: 'replayCallbacks',
    summary: 'Send all callbacks again that fit a filter',
    description:
      'Callbacks and webhooks; without `status` those that are Abandoned or Skipped. Those that have no endpoint, and those whose attempt is under way, stay as they are and are not counted.',
    body: replayRequest.optional(),
    bodyDoc: replayRequest,
    example: { from: '2027-03-01T08:00:00Z', to: '2027-03-01T12:00:00Z' },
    answers: {
      202: { description: 'So many will be sent', schema: z.object({ replayed: z.int() }).meta({ id: 'Replay' }) },
    },
    run({ caller, body = {}, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await takeTurn(db, merchantId);
        const { kind, ...filter } = body;
        const values: unknown[] = [merchantId, core.clock.now()];
        const where = filterBy(filter, values);
        if (!filter.status) where.push(`deliveries.status in ('Abandoned', 'Skipped')`);
        if (kind) where.push(`deliveries.kind = $${values.push(kind)}`);
        const replayed = await replay(db, where, values);
        await probeNow(db, merchantId, core.clock.now());
        db.afterCommit?.(() => wake(merchantId));
        return { status: 202, body: { replayed } };
      });
    },
  });
}

/**
 * Makes deliveries due at once, each to the endpoint that is there for it now, and answers how many; those under way
 * stay. @param values the merchant, the time, and what `where` needs from $3 on
 */
async function replay(db: Db, where: string[], values: unknown[]): Promise<number> {
  const { rowCount } = await db.pool.query(
    `update deliveries set status = 'Pending', due_at = $2::timestamptz, tries = 0, tries_since = null,
       delivered_at = null, endpoint_id = n.id
     from endpoints n where deliveries.merchant_id = $1::uuid and n.merchant_id = $1::uuid and n.deleted_at is null
       and n.kind = deliveries.kind and (n.kind = 'callback' or n.id = deliveries.endpoint_id)
       and (deliveries.leased_until is null or deliveries.leased_until <= $2::timestamptz)
       and ${where.join(' and ')}`,
    values,
  );
  return rowCount ?? 0;
}
