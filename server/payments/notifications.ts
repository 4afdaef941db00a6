// Handles rail notifications about payments: orders, scans of QR codes, references, and unproven notifications.
import type { Core } from '../core.ts';
import { RAIL_KINDS } from '../providers/connector.ts';
import type { Rail } from '../rails/rail.ts';
import { outcomeOf, type NotificationHandlers } from '../rails/notification-handlers.ts';
import { applyOutcome } from './core/apply-outcome.ts';
import { queryUnprovenNotification } from './core/polling.ts';
import { applyCode, type CodeReport } from './qr/apply-code.ts';
import { applyReferenceHint, receiveReferencePayment } from './reference/receive.ts';

const via = 'notification';

export function paymentHandlers(core: Core): Pick<NotificationHandlers, 'order' | 'scan' | 'reference' | 'hint'> {
  return {
    async order(rail, { attemptId, kind, outcome }) {
      return outcomeOf((await applyOutcome(core, attemptId, outcome, { via, rail, kind })) !== 'unmatched');
    },
    async scan(rail, { attemptId, scan }) {
      const report: CodeReport = { result: 'scanned', scans: [scan] };
      return outcomeOf((await applyCode(core, attemptId, report, { via, rail })) !== 'unmatched');
    },
    async reference(rail, { payment }) {
      const received = await receiveReferencePayment(core, rail, payment, via);
      // The gateway acknowledges only committed money. The rail repeats every other notification.
      if (payment.receipt) await (await core.rails.ppr(rail)).acknowledge?.(payment.receipt);
      return received === 'unknown_reference' ? received : 'applied';
    },
    async hint(rail, hint) {
      const accounts = await listSiblings(core, rail);
      if ('attempt' in hint) {
        for (const id of accounts) if (await queryUnprovenNotification(core, id, hint.attempt)) return 'applied';
        return 'unmatched';
      }
      const answers = await Promise.all(accounts.map((id) => applyReferenceHint(core, id, hint.reference)));
      return outcomeOf(answers.includes(true) && !answers.includes(false));
    },
  };
}

/** Lists the account and its owner's accounts with the same connector, because they may share one notification URL. */
async function listSiblings({ rails }: Core, railId: string): Promise<string[]> {
  const own = await rails.find(railId);
  const isSibling = ({ id, merchantId, connector }: Rail) =>
    id === railId || (merchantId === own?.merchantId && connector === own?.connector);
  const all = RAIL_KINDS.flatMap((kind) => rails.listAll(kind)).filter(isSibling);
  return [railId, ...all.map(({ id }) => id).filter((id) => id !== railId)];
}
