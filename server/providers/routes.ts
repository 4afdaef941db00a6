// Where rails notify us: authenticated, stored, answered; applied after (decisions §10).
import { createHash } from 'node:crypto';
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import { readBytes } from '../http/body.ts';
import { route, type Route } from '../http/route.ts';
import { verifySignature } from '../http/signature.ts';
import { applyMessage, storeMessage, type Apply, type Outcome } from './inbox.ts';
import { readNotification } from './gpo/notification.ts';
import { readReferenceNotification } from './ppr/notification.ts';
import type { QrScan, RailOutcome, ReferencePayment, SmsOutcome, SmsReply, TerminalOutcome } from './provider.ts';
import { readSmsNotification } from './sms/notification.ts';

/** Far above any notification of docs/rail.md. */
const MAX_NOTIFICATION_BYTES = 65_536;

type RailName = 'gpo' | 'ppr' | 'sms';

const OPERATIONS: Record<RailName, string> = {
  gpo: 'receiveGpoNotification',
  ppr: 'receivePprNotification',
  sms: 'receiveSmsNotification',
};

const pathOf = (rail: RailName) => `/rails/${rail}/notifications`;

/** Where what rails tell of enters, one door for each thing; each answers what came of it. */
export type Doors = {
  attempt(attemptId: string, outcome: RailOutcome): Promise<Outcome>;
  scan(attemptId: string, scan: QrScan): Promise<Outcome>;
  terminal(posId: string, outcome: TerminalOutcome): Promise<Outcome>;
  reference(money: ReferencePayment): Promise<Outcome>;
  message(messageId: string, outcome: SmsOutcome): Promise<Outcome>;
  reply(reply: SmsReply): Promise<Outcome>;
};

/** A message that was read: the rail's own id of it, and the way to its door. */
type News = { notificationId: string; enter(doors: Doors): Promise<Outcome> };

/** How each rail's messages are read; null for what cannot be. */
const READ: Record<RailName, (body: string) => News | null> = {
  gpo(body) {
    const news = readNotification(body);
    if (!news) return null;
    const { notificationId } = news;
    if (news.about === 'terminal')
      return { notificationId, enter: ({ terminal }) => terminal(news.posId, news.outcome) };
    if (news.about === 'scan') return { notificationId, enter: ({ scan }) => scan(news.attemptId, news.scan) };
    return { notificationId, enter: ({ attempt }) => attempt(news.attemptId, news.outcome) };
  },
  ppr(body) {
    const news = readReferenceNotification(body);
    return news && { notificationId: news.notificationId, enter: ({ reference }) => reference(news.payment) };
  },
  sms(body) {
    const news = readSmsNotification(body);
    if (!news) return null;
    const { notificationId } = news;
    if (news.about === 'message')
      return { notificationId, enter: ({ message }) => message(news.messageId, news.outcome) };
    return { notificationId, enter: ({ reply }) => reply(news.reply) };
  },
};

/** How a stored message of each rail is applied. */
export function createApply(doors: Doors): Apply {
  return async (rail, body) => READ[rail as RailName](body)?.enter(doors) ?? 'unreadable';
}

/** @param keys what each rail signs with */
export function providerRoutes(core: Core, keys: Record<RailName, string>, apply: Apply): Route[] {
  return (['gpo', 'ppr', 'sms'] as const).map((rail) =>
    route({
      method: 'POST',
      path: pathOf(rail),
      operationId: OPERATIONS[rail],
      tag: 'Rails',
      summary: `Notification of the ${rail.toUpperCase()} rail (docs/rail.md)`,
      access: { kind: 'public' },
      // A rail is one address with every merchant's news: no limit may ever refuse money.
      bucket: null,
      readsRawBody: true,
      isHidden: true,
      answers: { 200: { description: 'Stored' } },
      async run({ ctx }) {
        const bytes = await readBytes(ctx, MAX_NOTIFICATION_BYTES);
        const message = { method: 'POST', path: pathOf(rail), body: bytes };
        if (!verifySignature(keys[rail], message, ctx.req.headers, core.clock.now()))
          throw new Problem('invalid_token');
        const body = bytes.toString('utf8').replaceAll('\0', '');
        const id = READ[rail](body)?.notificationId ?? createHash('sha256').update(bytes).digest('hex');
        const stored = await storeMessage(core, rail, id, body);
        if (stored) {
          // Not awaited: the rail gets its answer; a crash from here on is made good by the due inbox.
          const applied = applyMessage(core, apply, stored);
          core.inBackground(applied.catch((error: unknown) => core.log.error({ err: error }, 'could not apply')));
        }
        return { status: 200, body: { received: true } };
      },
    }),
  );
}
