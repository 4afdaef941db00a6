// Where what rails tell of enters: one door for each thing, behind the inbox.
import type { Core } from './core.ts';
import { applyOutcome } from './payments/core/apply-outcome.ts';
import { applyScan } from './payments/qr/scan.ts';
import { applyHint } from './payments/core/polling.ts';
import { applyReferenceHint, receiveReferencePayment } from './payments/reference/receive.ts';
import { RAIL_KINDS } from './providers/connector.ts';
import type { Rail } from './rails/book.ts';
import type { Doors } from './rails/inbox.ts';
import { receiveMessageNews, receiveReply } from './sms/receive.ts';
import { applyTerminalNews } from './terminals/apply-outcome.ts';

/** What is not (yet) ours is looked at again later. */
export function openDoors(core: Core): Doors {
  const via = 'notification';
  const ours = (isOurs: boolean) => (isOurs ? 'applied' : 'unmatched');
  return {
    async attempt(rail, { attemptId, kind }, outcome) {
      return ours((await applyOutcome(core, attemptId, outcome, { via, rail, kind })) !== 'unmatched');
    },
    scan: async (rail, id, scan) => ours((await applyScan(core, id, scan, { via, rail })) !== 'unmatched'),
    async hint(rail, attempt) {
      // One address at the provider may serve all accounts of one owner there.
      for (const id of await listSiblings(core, rail)) if (await applyHint(core, id, attempt)) return 'applied';
      return 'unmatched';
    },
    async referenceHint(rail, digits) {
      const asked = (await listSiblings(core, rail)).map((id) => applyReferenceHint(core, id, digits));
      const answers = await Promise.all(asked);
      return ours(answers.includes(true) && !answers.includes(false));
    },
    terminal: async (posId, outcome) => ours(await applyTerminalNews(core, posId, outcome)),
    message: async (rail, id, outcome) => ours(await receiveMessageNews(core, rail, id, outcome)),
    reply: async (reply) => ours(await receiveReply(core, reply)),
    async reference(rail, money) {
      const received = await receiveReferencePayment(core, rail, money, via);
      // Only what is committed is acknowledged; what is not, the rail tells again.
      if (money.receipt) await (await core.rails.ppr(rail)).acknowledge?.(money.receipt);
      return received === 'unknown_reference' ? received : 'applied';
    },
  };
}

/** An account, and the others of the same owner with the same connector. */
async function listSiblings({ rails }: Core, railId: string): Promise<string[]> {
  const own = await rails.find(railId);
  const isSibling = ({ id, merchantId, connector }: Rail) =>
    id === railId || (merchantId === own?.merchantId && connector === own?.connector);
  const all = RAIL_KINDS.flatMap((kind) => rails.listAll(kind)).filter(isSibling);
  return [railId, ...all.map(({ id }) => id).filter((id) => id !== railId)];
}
