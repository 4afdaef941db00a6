// Settles what came out as it was asked for: orders of the same moment in one statement, each with its payment, money and events.
import type { Core } from '../core.ts';
import { createPoolWriter, runStatement } from '../database/db.ts';
import type { RailOutcome } from '../providers/provider.ts';
import type { KnownAttempt } from './entities.ts';
import { isFaultOfRows } from './insert.ts';
import type { ReceivedFunds, Via } from './record-transaction.ts';

/** What was heard of an attempt, as it was read or written before. */
export type Heard = { known: KnownAttempt; outcome: RailOutcome; via: Via };
export type Approved = Heard & { money: ReceivedFunds };

type Settling<Row> = {
  /** Its parameter: a JSON array of what `rowOf` and `basicsOf` say of each. It leaves as it is what is not the usual. */
  statement: { name: string; text: string };
  /** Named as the statement's record names its columns. */
  rowOf(approved: Approved, at: Date): object;
  /** Announces what was settled. @returns the payments that it changed */
  announce(core: Core, row: Row): string[];
};

/**
 * The way to settle approvals of one kind of order. False: nothing was written, since it is not the usual (another amount, something
 * else heard since), and the whole way is taken.
 */
export function settleBy<Row extends { id: string }>({ statement, rowOf, announce }: Settling<Row>) {
  const writerOf = createPoolWriter<Core, Approved, string[]>(
    async (core, approved) => {
      const at = core.clock.now();
      const asked = approved.map((one) => ({ ...basicsOf(one, at), ...rowOf(one, at) }));
      const rows = await runStatement<Row>(core, statement, [JSON.stringify(asked)]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return approved.map(({ known: { id } }) => {
        const row = byId.get(id);
        return row ? announce(core, row) : [];
      });
    },
    { statements: 1, rows: 64 },
  );
  return async (core: Core, heard: Heard): Promise<boolean> => {
    const { result, providerRef, amountMinor, currency, occurredAt, details } = heard.outcome;
    if (result !== 'approved' || providerRef === null || amountMinor === null || currency === null) return false;
    try {
      const changed = await writerOf(core)({
        ...heard,
        money: { providerRef, amountMinor, currency, occurredAt, details },
      });
      for (const id of changed) core.changes.publish(`payment:${id}`);
      return changed.length > 0;
    } catch (error) {
      // A statement fails as a whole, whichever of them was wrong.
      if (isFaultOfRows(error)) return false;
      throw error;
    }
  };
}

function basicsOf({ known: { id, status, sentAt }, money, via }: Approved, at: Date): object {
  const { providerRef, amountMinor, currency, details } = money;
  const said = { provider_ref: providerRef, amount_minor: amountMinor, currency, details };
  return { id, attempt_status: status, sent_at: sentAt, ...said, via, at };
}
