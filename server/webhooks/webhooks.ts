// The routes of webhooks. A merchant has up to 16 of them, and each receives the event types that it chose.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { pageOf, pageQuery, viewPage } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import { deliveryPage, listDeliveries } from './deliveries.ts';
import { Endpoint } from './entities.ts';
import { findWebhook, webhooksOf } from './endpoints.ts';
import type { CallbackDeps } from './schemas.ts';
import { byWebhook, listQuery } from './schemas.ts';
import { sendTest } from './test.ts';
import { answerWebhook, deliveryDetails, viewWebhook, webhook } from './view.ts';
import { webhookWrites } from './webhook.ts';

const reads = { tag: 'Webhooks', access: { kind: 'bearer', scope: 'merchant:read' }, bucket: 'read' } as const;

export function eventWebhookRoutes(core: Core, deps: CallbackDeps): Route[] {
  return [
    declareList(core),
    declareRead(core),
    ...webhookWrites(core, deps),
    declareTest(core, deps),
    declareDeliveries(core),
  ];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks, newest first',
    query: z.object(pageQuery),
    answers: { 200: { description: 'A page', schema: viewPage.schema(webhook) } },
    async run({ caller, query }) {
      // All webhooks are read before the page is cut, because a merchant has at most 16.
      const orderBy = { createdAt: 'desc', id: 'desc' } as const;
      const all = await em(core).find(Endpoint, webhooksOf(caller.merchantId), { orderBy });
      const { limit, offset } = pageOf(query);
      const data = all.slice(offset, offset + limit).map(viewWebhook);
      return { status: 200, body: viewPage(data, query, all.length) };
    },
  });
}

function declareRead(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/webhooks/{webhookId}',
    operationId: 'readWebhook',
    summary: 'Read one webhook',
    params: byWebhook,
    answers: { 200: { description: 'The webhook', schema: webhook } },
    tagged: true,
    run: async ({ caller, params }) => answerWebhook(await findWebhook(core, caller.merchantId, params.webhookId)),
  });
}

function declareTest(core: Core, deps: CallbackDeps): Route {
  return route({
    method: 'POST',
    path: '/api/webhooks/{webhookId}/test',
    operationId: 'testWebhook',
    tag: 'Webhooks',
    summary: 'Send a sample event to a webhook',
    description:
      'Sends one signed event of type `webhook.test`, with the header `Balcao-Test: true`. ' +
      'The response follows the answer of your server, after 12 s at most. ' +
      '`status` and `attempts` report a failure. It is not an error response.',
    access: { kind: 'bearer', scope: 'merchant:write' },
    bucket: 'write',
    params: byWebhook,
    idempotent: true,
    refusals: { 409: 'idempotency_in_progress' },
    answers: { 200: { description: 'The result of the test', schema: deliveryDetails } },
    run({ caller, params, keyed }) {
      const { merchantId } = caller;
      const find = (db: Db) => findWebhook(db, merchantId, params.webhookId);
      return sendTest(core, deps, { merchantId, keyed, find, type: 'webhook.test' });
    },
  });
}

function declareDeliveries(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: '/api/webhooks/{webhookId}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook, newest first',
    description:
      'The list includes tests. `GET /api/callbacks/{deliveryId}` returns a delivery with every attempt, ' +
      'and `POST /api/callbacks/{deliveryId}/replay` sends it again.',
    params: byWebhook,
    query: listQuery,
    answers: { 200: { description: 'A page', schema: deliveryPage } },
    async run({ caller, params, query }) {
      const { id } = await findWebhook(core, caller.merchantId, params.webhookId);
      const { merchantId } = caller;
      return listDeliveries(core, { merchantId, webhookId: id, query });
    },
  });
}
