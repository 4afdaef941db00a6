// What is written of attempts that ended: those that end at the same time together, in as few statements as may be.
import type { Core } from '../core.ts';
import { writeTogether, type Together } from '../database/together.ts';
import { settleCircuits, type Failing } from './circuit.ts';
import { recordAttempts, type Ended, type Recorded } from './record.ts';

export type Ledger = {
  record: Together<Ended, Recorded>;
  /** Counts what an attempt says of its endpoint. */
  settle: Together<Ended, null>;
  failing: Failing;
};

export function openLedger(core: Core): Ledger {
  const failing: Failing = new Set();
  return {
    record: writeTogether((ended: Ended[]) => recordEnded(core, ended), { statements: 1, rows: 256 }),
    // Beside the recording: an endpoint whose row is held by somebody holds up nobody's record.
    settle: writeTogether((ended: Ended[]) => settleEnded(core, ended, failing), { statements: 4, rows: 64 }),
    failing,
  };
}

async function recordEnded(core: Core, ended: Ended[]): Promise<Recorded[]> {
  // Somebody replaying many at once may hold them in another order: the second run finds them free.
  const recorded = await recordAttempts(core, ended).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== '40P01') throw error;
    return recordAttempts(core, ended);
  });
  for (const { claimed } of ended) core.changes.tell(`delivery:${claimed.id}`);
  return recorded;
}

async function settleEnded(core: Core, ended: Ended[], failing: Failing): Promise<null[]> {
  await settleCircuits(core, ended, failing);
  return ended.map(() => null);
}
