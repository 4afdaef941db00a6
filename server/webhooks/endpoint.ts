// GET, PUT and DELETE /api/merchants/{merchantId}/callback: the merchant's only callback endpoint.
import { z } from 'zod';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { invalidFields, Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { byMerchant, requireOwn } from '../merchants/find.ts';
import { Endpoint } from './entities.ts';
import { findCallbackEndpoint, lockCallbackEndpoint, removeEndpoint, lockEndpoints, NO_FAILURES } from './endpoints.ts';
import { SEALED_ACCESS_KEY } from './message.ts';
import { wakeDeliveries } from './queue.ts';
import type { CallbackDeps } from './schemas.ts';
import { endpointRequest, findUrlFaults } from './schemas.ts';
import { callbackEndpoint, viewEndpoint } from './view.ts';

const about = {
  path: '/api/merchants/{merchantId}/callback',
  tag: 'Callbacks',
  params: byMerchant,
} as const;

export function endpointRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [declareRead(core), declareSet(core, deps), declareRemove(core)];
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    operationId: 'readCallbackEndpoint',
    summary: 'Read the callback endpoint',
    description: 'Returns 404 while no endpoint is set. `merchantId` is your own.',
    access: { kind: 'bearer', scope: 'merchant:read' },
    bucket: 'read',
    answers: { 200: { description: 'The endpoint', schema: callbackEndpoint } },
    async run({ caller, params }) {
      requireOwn(caller, params);
      const endpoint = await findCallbackEndpoint(core, caller.merchantId);
      if (!endpoint) throw new Problem('not_found');
      return { status: 200, body: viewEndpoint(endpoint) };
    },
  });
}

function declareSet(core: Core, { guard }: CallbackDeps): Route {
  return route({
    ...about,
    method: 'PUT',
    operationId: 'setCallbackEndpoint',
    summary: 'Set the callback endpoint',
    description:
      'Balcão reports money paid to payment references and through QR codes by POST to this endpoint. ' +
      'The headers are `Access-Key`, `Balcao-Delivery` (the same at every attempt) and `Balcao-Attempt` (from 1). ' +
      'Compare `Access-Key` with the key that you set here.\n\n' +
      'Confirm with 2xx and `{ "Success": true }` within 10 s. Redirects are not followed. ' +
      'After any other answer, the callback is repeated after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, ' +
      'and then every 12 h until 72 h (± 10 %). `Retry-After` is honoured up to 12 h. ' +
      'After 72 h the callback is Abandoned. Status 410 abandons it at once. ' +
      'The same callback may arrive more than once: `Id` (QR: `id`) is the same each time.\n\n' +
      'A new address or a new access key resets the failures of the endpoint, and due callbacks are sent at once. ' +
      'Each attempt uses the access key that is set at its time.',
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    body: endpointRequest,
    checkAlso: async (input, { merchantId }) => [
      ...(await findUrlFaults(guard, input)),
      ...(await findKeyFaults(core, merchantId, input)),
    ],
    idempotent: true,
    example: { url: 'https://loja.example/balcao/callback', accessKey: 'K7tq-9vXw2-mRp4zL' },
    refusals: { 400: 'url_not_allowed: not an address of the public internet. `accessKey` is required the first time' },
    answers: { 200: { description: 'The endpoint', schema: callbackEndpoint } },
    async run({ caller, params, body, keyed, address }) {
      requireOwn(caller, params);
      const { merchantId } = caller;
      // The host name is resolved outside of the transaction. A stored response takes precedence over these faults.
      const faults = await findUrlFaults(guard, body);
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await lockEndpoints(db, merchantId);
        const all = [...faults, ...(await findKeyFaults(db, merchantId, body))];
        if (all.length > 0) throw invalidFields(all);
        await setEndpoint(core, db, { merchantId, actor: actorOf(caller, address) }, body);
        db.afterCommit?.(() => wakeDeliveries(core, merchantId));
        const endpoint = (await findCallbackEndpoint(db, merchantId)) as Endpoint;
        return { status: 200, body: viewEndpoint(endpoint) };
      });
    },
  });
}

type EndpointRequest = z.output<typeof endpointRequest>;

async function setEndpoint(
  core: Core,
  db: Db,
  { merchantId, actor }: { merchantId: string; actor: Actor },
  { url, accessKey }: EndpointRequest,
): Promise<void> {
  const now = core.clock.now();
  const settings = {
    url,
    updatedAt: now,
    ...(accessKey && { accessKey: core.keyring.seal(accessKey, SEALED_ACCESS_KEY) }),
  };
  const current = await lockCallbackEndpoint(db, merchantId);
  const id = current?.id ?? uuid();
  const isChanged = current?.url !== url || !!accessKey;
  if (current) await em(db).nativeUpdate(Endpoint, { id }, { ...settings, ...(isChanged && NO_FAILURES) });
  else await em(db).insert(Endpoint, { id, merchantId, kind: 'callback', createdAt: now, failures: 0, ...settings });
  if (!isChanged) return;
  const changes = { ...changesOf({ url: current?.url ?? null }, { url }), ...(accessKey && { accessKey: 'changed' }) };
  await recordAudit(db, { merchantId, actor, action: 'callback.set', target: id, changes, at: now });
}

/** Requires an access key if no callback endpoint is set, because no earlier key exists then. */
async function findKeyFaults(db: Db, merchantId: string, input: unknown): Promise<Fault[]> {
  const { accessKey } = (input ?? {}) as { accessKey?: unknown };
  if (accessKey != null || (await findCallbackEndpoint(db, merchantId))) return [];
  return [{ pointer: '/accessKey', code: 'required' }];
}

function declareRemove(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    operationId: 'removeCallbackEndpoint',
    summary: 'Remove the callback endpoint',
    description: 'Pending callbacks become Skipped. You can replay them after you set an endpoint again.',
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    idempotent: true,
    answers: { 204: { description: 'No endpoint is set' } },
    run({ caller, params, keyed, address }) {
      requireOwn(caller, params);
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await lockEndpoints(db, merchantId);
        const endpoint = await findCallbackEndpoint(db, merchantId);
        if (endpoint)
          await removeEndpoint(core, db, endpoint, { actor: actorOf(caller, address), at: core.clock.now() });
        return { status: 204 };
      });
    },
  });
}
