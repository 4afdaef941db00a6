// Where rails notify us: authenticated, stored, answered; applied after (decisions §10).
import { createHash } from 'node:crypto';
import type { Core } from '../core.ts';
import { Problem } from '../http/problem.ts';
import { readBytes } from '../http/body.ts';
import { route, type Route } from '../http/route.ts';
import { verifySignature } from '../http/signature.ts';
import { settleScan } from '../payments/scan.ts';
import { settleAttempt } from '../payments/settle.ts';
import { applyTerminalNews } from '../terminals/settle.ts';
import { applyMessage, storeMessage, type Apply, type Outcome } from './inbox.ts';
import { readNotification } from './gpo/notification.ts';
import type { RailNotification } from './provider.ts';

/** Far above any notification of docs/rail.md. */
const MAX_NOTIFICATION_BYTES = 65_536;

const PATH = '/rails/gpo/notifications';

/** How a stored message of each rail is applied. */
export function createApply(core: Core): Apply {
  const byRail: Record<string, (body: string) => Promise<Outcome>> = {
    async gpo(body) {
      const notification = readNotification(body);
      if (!notification) return 'unreadable';
      return (await applyNotification(core, notification)) ? 'applied' : 'unmatched';
    },
  };
  return async (rail, body) => (await byRail[rail]?.(body)) ?? 'unreadable';
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

export function providerRoutes(core: Core, gpoKey: string, apply: Apply): Route[] {
  return [
    route({
      method: 'POST',
      path: PATH,
      operationId: 'receiveGpoNotification',
      tag: 'Rails',
      summary: 'Notification of the GPO rail (docs/rail.md)',
      access: { kind: 'public' },
      // A rail is one address with every merchant's news: no limit may ever refuse money.
      bucket: null,
      readsRawBody: true,
      isHidden: true,
      answers: { 200: { description: 'Stored' } },
      async run({ ctx }) {
        const bytes = await readBytes(ctx, MAX_NOTIFICATION_BYTES);
        const message = { method: 'POST', path: PATH, body: bytes };
        if (!verifySignature(gpoKey, message, ctx.req.headers, core.clock.now())) throw new Problem('invalid_token');
        const body = bytes.toString('utf8').replaceAll('\0', '');
        const id = readNotification(body)?.notificationId ?? createHash('sha256').update(bytes).digest('hex');
        const stored = await storeMessage(core, 'gpo', id, body);
        if (stored) {
          // Not awaited: the rail gets its answer; a crash from here on is made good by the due inbox.
          const applied = applyMessage(core, apply, stored);
          core.inBackground(applied.catch((error: unknown) => core.log.error({ err: error }, 'could not apply')));
        }
        return { status: 200, body: { received: true } };
      },
    }),
  ];
}
