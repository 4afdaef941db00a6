// Making, changing and removing a webhook, and giving it a new signing secret.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf, changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { invalid, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { requireMatch } from '../http/precondition.ts';
import { lockMerchant } from '../merchants/find.ts';
import { Endpoint } from './entities.ts';
import { findWebhook, itsWebhooks, lockWebhook, removeEndpoint, takeTurn, UNTRIED } from './endpoints.ts';
import { wakeDeliveries } from './queue.ts';
import type { CallbackDeps } from './schemas.ts';
import { byWebhook, findUrlFaults, OVERLAP_HOURS, rotation, webhookRequest, type WebhookRequest } from './schemas.ts';
import { sealFirst, sealNext } from './message.ts';
import { answerWebhook, createdWebhook, rotatedSecret, viewEdited, viewWebhook, webhook } from './view.ts';

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
    description: `Events of the chosen types are sent there by POST as \`GET /api/events\` shows them, from now on. Signed as Standard Webhooks says: \`webhook-id\` (the event's id, the same at every attempt), \`webhook-timestamp\` (seconds), \`webhook-signature\`: \`v1,\` and the base64 of HMAC-SHA256 over \`{id}.{timestamp}.{body}\`, with the bytes behind \`whsec_\` as the key; several, separated by spaces, while a secret is being rotated.

Any 2xx within 10 s confirms. Anything else is repeated as callbacks are: after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h, 12 h, then every 12 h until 72 h; 410 abandons at once.

\`secret\` is told only here, and by rotation. At most 16 webhooks. Idempotency-Key is not honoured, since answers under keys are kept.`,
    body: webhookRequest,
    checkAlso: (input) => findUrlFaults(guard, input),
    example: EXAMPLE,
    refusals: { ...REFUSALS, 409: 'too_many_webhooks' },
    answers: { 201: { description: 'Created', schema: createdWebhook, headers: { Location: 'The endpoint' } } },
    async run({ caller, body, address }) {
      const faults = await findUrlFaults(guard, body);
      if (faults.length > 0) throw invalid(faults);
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

/** @throws Problem too_many_webhooks */
async function createWebhook(
  core: Core,
  db: Db,
  { merchantId, actor }: { merchantId: string; actor: Actor },
  request: WebhookRequest,
): Promise<{ id: string; secret: string }> {
  // One at a time counts. What refers to the merchant meanwhile is not held up.
  await lockMerchant.run(db, { id: merchantId });
  if ((await em(db).count(Endpoint, itsWebhooks(merchantId))) >= MAX_WEBHOOKS) throw new Problem('too_many_webhooks');
  const now = core.clock.now();
  const { secret, sealed } = sealFirst(core.keyring);
  const id = uuid();
  const made = {
    id,
    merchantId,
    kind: 'webhook',
    secrets: sealed,
    createdAt: now,
    updatedAt: now,
    failures: 0,
  } as const;
  await em(db).insert(Endpoint, { ...made, ...settingsOf(request) });
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
      'All of it: what is left out is as in a new one. The secret stays. Another address ends what is known of failures: what is due goes out at once.',
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
        const known = await lockWebhook(db, merchantId, params.webhookId);
        requireMatch(ifMatch, viewEdited(known));
        if (faults.length > 0) throw invalid(faults);
        const at = core.clock.now();
        const set = { ...settingsOf(body), updatedAt: at, ...(known.url !== body.url && UNTRIED) };
        await em(db).nativeUpdate(Endpoint, { id: known.id }, set);
        const changes = changesOf<Partial<Endpoint>>(known, settingsOf(body));
        const about = { merchantId, actor: actorOf(caller, address), target: known.id, at };
        if (Object.keys(changes).length > 0) await recordAudit(db, { ...about, action: 'webhook.changed', changes });
        db.afterCommit?.(() => wakeDeliveries(core, merchantId));
        return answerWebhook(await findWebhook(db, merchantId, known.id));
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
    description: 'What was still to be delivered to it becomes Skipped.',
    params: byWebhook,
    idempotent: true,
    answers: { 204: { description: 'Removed' } },
    run({ caller, params, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        await takeTurn(db, merchantId);
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
      'What is sent is signed with both for `overlapHours`, so that nothing is refused while your side changes over; 0 ends the old one at once. No secret signs longer than the newest overlap, and at most 8 sign at a time. Idempotency-Key is not honoured, since answers under keys are kept.',
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
        const { secret, sealed, until } = sealNext(core.keyring, known.secrets ?? '', { now, overlapHours });
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
