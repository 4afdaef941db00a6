// Where rails notify us: authenticated, stored, answered; applied after (decisions §10).
import { createHash } from 'node:crypto';
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import { readBytes } from '../http/body.ts';
import { route, type Route } from '../http/route.ts';
import { verifySignature } from '../http/signature.ts';
import { settleScan } from '../payments/scan.ts';
import { settleAttempt } from '../payments/settle.ts';
import { receiveReferencePayment } from '../references/receive.ts';
import { receiveMessageNews, receiveReply } from '../sms/receive.ts';
import { applyTerminalNews } from '../terminals/settle.ts';
import { applyMessage, storeMessage, type Apply, type Outcome } from './inbox.ts';
import { readNotification } from './gpo/notification.ts';
import { readReferenceNotification } from './ppr/notification.ts';
import type { RailNotification, SmsNotification } from './provider.ts';
import type { Rails } from './registry.ts';
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

type Reading = {
  /** The rail's own id of the notification; null for what cannot be read. */
  readId(body: string): string | null;
  apply(core: Core, rails: Rails, body: string): Promise<Outcome>;
};

/** How each rail's messages are read, and by which door they enter. */
const READINGS: Record<RailName, Reading> = {
  gpo: {
    readId: (body) => readNotification(body)?.notificationId ?? null,
    async apply(core, _rails, body) {
      const notification = readNotification(body);
      if (!notification) return 'unreadable';
      return (await applyNotification(core, notification)) ? 'applied' : 'unmatched';
    },
  },
  ppr: {
    readId: (body) => readReferenceNotification(body)?.notificationId ?? null,
    async apply(core, { ppr }, body) {
      const notification = readReferenceNotification(body);
      if (!notification) return 'unreadable';
      const received = await receiveReferencePayment(core, ppr, notification.payment, 'notification');
      return received === 'unknown_reference' ? received : 'applied';
    },
  },
  sms: {
    readId: (body) => readSmsNotification(body)?.notificationId ?? null,
    async apply(core, _rails, body) {
      const notification = readSmsNotification(body);
      if (!notification) return 'unreadable';
      return (await applySmsNotification(core, notification)) ? 'applied' : 'unmatched';
    },
  },
};

/** How a stored message of each rail is applied. */
export function createApply(core: Core, rails: Rails): Apply {
  return (rail, body) => READINGS[rail as RailName].apply(core, rails, body);
}

/** By the door of what it is about; false when that is not (yet) ours. */
async function applyNotification(core: Core, news: RailNotification): Promise<boolean> {
  if (news.about === 'terminal') return applyTerminalNews(core, news.posId, news.outcome);
  const settled =
    news.about === 'scan'
      ? await settleScan(core, news.attemptId, news.scan, 'notification')
      : await settleAttempt(core, news.attemptId, news.outcome, 'notification');
  return settled !== 'unmatched';
}

function applySmsNotification(core: Core, news: SmsNotification): Promise<boolean> {
  return news.about === 'message'
    ? receiveMessageNews(core, news.messageId, news.outcome)
    : receiveReply(core, news.reply);
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
        const id = READINGS[rail].readId(body) ?? createHash('sha256').update(bytes).digest('hex');
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
