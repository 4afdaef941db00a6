// Creates, changes and removes webhooks, and rotates their signing secrets.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { requireMatch } from '../http/precondition.ts';
import { lockMerchant } from '../merchants/find.ts';
import { Endpoint } from './entities.ts';
import { findWebhook, webhooksOf, lockWebhook, removeEndpoint, lockEndpoints, NO_FAILURES } from './endpoints.ts';
import { wakeDeliveries } from './queue.ts';
import type { CallbackDeps } from './schemas.ts';
import { byWebhook, findUrlFaults, OVERLAP_HOURS, rotation, webhookRequest, type WebhookRequest } from './schemas.ts';
import { sealFirstSecret, sealNextSecret } from './message.ts';
import { answerWebhook, createdWebhook, rotatedSecret, viewSettings, viewWebhook, webhook } from './view.ts';

const MAX_WEBHOOKS = 16;

const about = { tag: 'Webhooks', access: { kind: 'bearer', scope: 'merchant:write' }, bucket: 'write' } as const;

const EXAMPLE = {
  url: 'https://loja.example/balcao/events',
  types: ['payment.*', 'reference.paid'],
  description: 'ERP',
};

const REFUSALS = { 400: 'url_not_allowed: not an address of the public internet; or another wrong field' };

export function webhookWrites(core: Core, deps: CallbackDeps): Route[] {
  return [declareCreate(core, deps), declareReplace(core, deps), declareRemove(core), declareRotate(core)];
}

function declareCreate(core: Core, { guard }: CallbackDeps): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'From now on, Balcão sends events of the chosen types by POST, in the format of `GET /api/events`. ' +
      'They are signed by Standard Webhooks: `webhook-id` (the event’s id, the same at every attempt), ' +
      '`webhook-timestamp` (seconds) and `webhook-signature`. ' +
      'The signature is `v1,` and the base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}`. ' +
      'Its key is the decoded base64 after `whsec_`. ' +
      'During a rotation, the header has several signatures, separated by spaces.\n\n' +
      'Any 2xx within 10 s confirms the event. After any other answer, it is repeated like a callback: ' +
      'after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, and then every 12 h until 72 h. ' +
      'Status 410 abandons it at once.\n\n' +
      '`secret` is returned only here and by a rotation. A merchant can have 16 webhooks. ' +
      'Idempotency-Key is ignored, because stored answers would contain the secret.',
    body: webhookRequest,
    checkAlso: (input) => findUrlFaults(guard, input),
    example: EXAMPLE,
    refusals: { ...REFUSALS, 409: 'too_many_webhooks' },
    answers: { 201: { description: 'Created', schema: createdWebhook, headers: { Location: 'The endpoint' } } },
    async run({ caller, body, address }) {
      const faults = await findUrlFaults(guard, body);
      if (faults.length > 0) throw invalidFields(faults);
      const by = { merchantId: caller.merchantId, actor: actorOf(caller, address) };
      const { id, secret } = await inTransaction(core, (db) => createWebhook(core, db, by, body));
      const created = await findWebhook(core, caller.merchantId, id);
      return {
        status: 201,
        body: { ...viewWebhook(created), secret },
        headers: { Location: `/api/webhooks/${id}` },
      };
    },
  });
}

/** Creates a webhook. @throws Problem too_many_webhooks */
async function createWebhook(
  core: Core,
  db: Db,
  { merchantId, actor }: { merchantId: string; actor: Actor },
  request: WebhookRequest,
): Promise<{ id: string; secret: string }> {
  // The lock lets one transaction at a time count the webhooks. It does not block inserts that refer to the merchant.
  await lockMerchant.run(db, { id: merchantId });
  if ((await em(db).count(Endpoint, webhooksOf(merchantId))) >= MAX_WEBHOOKS) throw new Problem('too_many_webhooks');
  const now = core.clock.now();
  const { secret, sealed } = sealFirstSecret(core.keyring);
  const id = uuid();
  const created = {
    id,
    merchantId,
    kind: 'webhook',
    secrets: sealed,
    createdAt: now,
    updatedAt: now,
    failures: 0,
  } as const;
  await em(db).insert(Endpoint, { ...created, ...settingsOf(request) });
  const changes = changesOf({}, settingsOf(request));
  await recordAudit(db, { merchantId, actor, action: 'webhook.created', target: id, changes, at: now });
  return { id, secret };
}

const settingsOf = ({ url, types, description }: WebhookRequest) => ({
  url,
  types: types ?? null,
  description: description ?? null,
});

function declareReplace(core: Core, { guard }: CallbackDeps): Route {
  return route({
    ...about,
    method: 'PUT',
    path: '/api/webhooks/{webhookId}',
    operationId: 'replaceWebhook',
    summary: 'Change a webhook',
    description:
      'Replaces all settings: an absent field gets the value of a new webhook. The secret stays. ' +
      'A new address resets the failures of the endpoint, and due events are sent at once.',
    params: byWebhook,
    body: webhookRequest,
    checkAlso: (input) => findUrlFaults(guard, input),
    idempotent: true,
    tagged: true,
    example: EXAMPLE,
    refusals: REFUSALS,
    answers: { 200: { description: 'Changed', schema: webhook } },
    async run({ caller, params, body, keyed, ifMatch, address }) {
      const { merchantId } = caller;
      const faults = await findUrlFaults(guard, body);
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const current = await lockWebhook(db, merchantId, params.webhookId);
        requireMatch(ifMatch, viewSettings(current));
        if (faults.length > 0) throw invalidFields(faults);
        const at = core.clock.now();
        const set = { ...settingsOf(body), updatedAt: at, ...(current.url !== body.url && NO_FAILURES) };
        await em(db).nativeUpdate(Endpoint, { id: current.id }, set);
        const changes = changesOf<Partial<Endpoint>>(current, settingsOf(body));
        const about = { merchantId, actor: actorOf(caller, address), target: current.id, at };
        if (Object.keys(changes).length > 0) await recordAudit(db, { ...about, action: 'webhook.changed', changes });
        db.afterCommit?.(() => wakeDeliveries(core, merchantId));
        return answerWebhook(await findWebhook(db, merchantId, current.id));
      });
    },
  });
}

function declareRemove(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    path: '/api/webhooks/{webhookId}',
    operationId: 'removeWebhook',
    summary: 'Remove a webhook',
    description: 'Pending deliveries to it become Skipped.',
    params: byWebhook,
    idempotent: true,
    answers: { 204: { description: 'Removed' } },
    run({ caller, params, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await lockEndpoints(db, merchantId);
        const known = await findWebhook(db, merchantId, params.webhookId);
        await removeEndpoint(core, db, known, { actor: actorOf(caller, address), at: core.clock.now() });
        return { status: 204 };
      });
    },
  });
}

function declareRotate(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/webhooks/{webhookId}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new signing secret',
    description:
      'Both secrets sign for `overlapHours`, so that your server rejects no event while you replace the secret. ' +
      '0 ends the old secret at once. No old secret signs longer than the newest overlap. ' +
      'At most 8 secrets sign at a time. ' +
      'Idempotency-Key is ignored, because stored answers would contain the secret.',
    params: byWebhook,
    body: rotation.optional(),
    bodyDoc: rotation,
    example: { overlapHours: 24 },
    answers: { 200: { description: 'The new secret', schema: rotatedSecret } },
    run: ({ caller, params, body, address }) =>
      inTransaction(core, async (db) => {
        const { merchantId } = caller;
        const known = await lockWebhook(db, merchantId, params.webhookId);
        const now = core.clock.now();
        const overlapHours = body?.overlapHours ?? OVERLAP_HOURS;
        const { secret, sealed, until } = sealNextSecret(core.keyring, known.secrets ?? '', { now, overlapHours });
        await em(db).nativeUpdate(Endpoint, { id: known.id }, { secrets: sealed, updatedAt: now });
        const rotated = {
          action: 'webhook.rotated',
          target: known.id,
          changes: { secret: 'changed', overlapUntil: until },
        };
        await recordAudit(db, { merchantId, actor: actorOf(caller, address), ...rotated, at: now });
        return { status: 200, body: { secret, overlapUntil: until } };
      }),
  });
}
