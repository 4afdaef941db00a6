// GET, PUT, DELETE /api/merchants/{merchantId}/callback: the one place where a merchant says where its callbacks go.
import { z } from 'zod';
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { invalid, Problem, type Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { byMerchant, requireOwn } from '../merchants/find.ts';
import { Endpoint } from './entities.ts';
import { findCallbackEndpoint, lockCallbackEndpoint, removeEndpoint, takeTurn, UNTRIED } from './endpoints.ts';
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
    summary: 'Where callbacks are sent',
    description: '404 while none is set. `merchantId` is your own.',
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
    summary: 'Set where callbacks are sent',
    description: `Payments of payment references and of QR codes are told there by POST (the fields are those of the service description), with the headers \`Access-Key\`, \`Balcao-Delivery\` (the same at every attempt) and \`Balcao-Attempt\` (from 1). Compare \`Access-Key\` with the one set here.

Confirm with 2xx and \`{ "Success": true }\` within 10 s; redirects are not followed. Anything else is repeated after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, then every 12 h until 72 h (± 10 %; \`Retry-After\` is honoured up to 12 h), then it is Abandoned; 410 abandons at once. The same callback may arrive more than once: \`Id\` (QR: \`id\`) is the same each time.

Another address, or a new access key, ends what is known of failures: what is due goes out at once. Attempts use the key of their moment.`,
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    body: endpointRequest,
    checkAlso: async (input, { merchantId }) => [
      ...(await findUrlFaults(guard, input)),
      ...(await findKeyFaults(core, merchantId, input)),
    ],
    idempotent: true,
    example: { url: 'https://loja.example/balcao/callback', accessKey: 'K7tq-9vXw2-mRp4zL' },
    refusals: { 400: 'url_not_allowed: not an address of the public internet; accessKey is required the first time' },
    answers: { 200: { description: 'Set', schema: callbackEndpoint } },
    async run({ caller, params, body, keyed, address }) {
      requireOwn(caller, params);
      const { merchantId } = caller;
      // The name is resolved outside of the transaction; a stored answer comes before what is wrong with it now.
      const faults = await findUrlFaults(guard, body);
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await takeTurn(db, merchantId);
        const all = [...faults, ...(await findKeyFaults(db, merchantId, body))];
        if (all.length > 0) throw invalid(all);
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
  const given = {
    url,
    updatedAt: now,
    ...(accessKey && { accessKey: core.keyring.seal(accessKey, SEALED_ACCESS_KEY) }),
  };
  const known = await lockCallbackEndpoint(db, merchantId);
  const id = known?.id ?? uuid();
  const isAnother = known?.url !== url || !!accessKey;
  if (known) await em(db).nativeUpdate(Endpoint, { id }, { ...given, ...(isAnother && UNTRIED) });
  else await em(db).insert(Endpoint, { id, merchantId, kind: 'callback', createdAt: now, failures: 0, ...given });
  if (!isAnother) return;
  const changes = { ...changesOf({ url: known?.url ?? null }, { url }), ...(accessKey && { accessKey: 'changed' }) };
  await recordAudit(db, { merchantId, actor, action: 'callback.set', target: id, changes, at: now });
}

/** The first time there is no key that could stay. */
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
    summary: 'Send no callbacks any more',
    description: 'What was still to be delivered becomes Skipped, and can be replayed once there is an endpoint again.',
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    idempotent: true,
    answers: { 204: { description: 'There is none now' } },
    run({ caller, params, keyed, address }) {
      requireOwn(caller, params);
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await takeTurn(db, merchantId);
        const endpoint = await findCallbackEndpoint(db, merchantId);
        if (endpoint)
          await removeEndpoint(core, db, endpoint, { actor: actorOf(caller, address), at: core.clock.now() });
        return { status: 204 };
      });
    },
  });
}
