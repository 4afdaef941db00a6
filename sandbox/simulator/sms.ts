// The SMS rail of docs/rail.md: signed routes for SMS, and unsigned routes for recipients' replies.
// The app that mounts the reply routes must guard these unsigned routes.
import { randomUUID } from 'node:crypto';
import Router from '@koa/router';
import { parseBody, readBody } from './body.ts';
import { answerWithFault, claimFault, claimRequestFault } from './faults.ts';
import { findMessage, recordMessage, viewMessage, type MessageRow } from './messages.ts';
import { queueNotification } from './notifications.ts';
import { refuse } from './refusal.ts';
import { messageReply, messageRequest } from './requests.ts';
import { requireSignature } from './signed.ts';
import type { Simulation } from './simulation.ts';
import { inTransaction } from './tables.ts';

/** The routes of the SMS rail, which the gateway calls. */
export function smsRoutes(sim: Simulation): Router {
  const router = new Router({ prefix: '/v1' });
  router.use(requireSignature(sim, 'sms'));

  router.post('/messages', async (ctx) => {
    const request = parseBody(messageRequest, ctx.state.body as Buffer);
    await answerWithFault(sim, ctx, await claimRequestFault(sim, 'sms_send', request.to), async () => {
      const { row, isNew, isSame } = await recordMessage(sim, request);
      if (!isSame) refuse(409, 'MESSAGE_CHANGED', 'This id belongs to a message with other content.');
      ctx.status = isNew ? 202 : 200;
      ctx.body = viewMessage(isNew ? row : ((await findMessage(sim, request.id)) ?? row));
    });
  });

  router.get('/messages/:id', async (ctx) => {
    const row = await findMessage(sim, ctx.params.id ?? '');
    await answerWithFault(sim, ctx, await claimFault(sim.pool, 'sms_query', row?.phone ?? null), async () => {
      if (!row) refuse(404, 'UNKNOWN_MESSAGE', 'No message has this id.');
      ctx.body = viewMessage(row);
    });
  });
  return router;
}

/** The routes of phones that received an SMS and can reply. */
export function replyRoutes(sim: Simulation): Router {
  const router = new Router();

  router.post('/messages/:id/reply', async (ctx) => {
    const { text } = parseBody(messageReply, await readBody(ctx.req));
    const row = await findMessage(sim, ctx.params.id ?? '');
    // A rejected SMS has reached no phone, so a reply is impossible.
    if (!row || row.status === 'REJECTED') refuse(404, 'UNKNOWN_MESSAGE', 'No phone received a message with this id.');
    ctx.body = { id: await queueReplyNotification(sim, row, text, ctx.query.bare === '1') };
    ctx.status = 202;
  });
  return router;
}

/**
 * Queues the notification of a reply to an SMS and returns its id.
 * A `bare` reply does not name the SMS it answers, because not every rail can name it.
 */
async function queueReplyNotification(
  sim: Simulation,
  row: MessageRow,
  text: string,
  isBare: boolean,
): Promise<string> {
  const [id, at] = [randomUUID(), sim.clock.now()];
  const { id: messageId, phone: from, sender: to } = row;
  const thing = { from, to, text, messageId: isBare ? null : messageId, receivedAt: at.toISOString() };
  // The phone's script of faults does not apply to replies, and the SMS's records do not count replies.
  const about = { rail: 'sms', id, aboutId: id, faultKey: from, at, script: {} } as const;
  await inTransaction(sim.pool, (db) =>
    queueNotification(db, { ...about, type: 'message_reply', name: 'reply', thing }),
  );
  sim.poke('notifications');
  return id;
}
