// Circuits of accounts. Five faults in a row, faults of half the pushes of two minutes, or a wrong setup open a circuit for a minute.
// Then one push tries the account (decisions §15).
import type { Clock } from '../clock.ts';

export type Circuits = {
  /** True if a new push may use the account. */
  isClosed(railId: string): boolean;
  /** A push begins. On an open circuit it is the try. */
  begin(railId: string): void;
  /** A push ended. `misconfigured`: the next push will fail too. */
  note(railId: string, ended: 'answered' | 'fault' | 'misconfigured'): void;
};

const IN_A_ROW = 5;
const WINDOW_MS = 120_000;
const REST_MS = 60_000;
/** Below this number of pushes their share proves nothing. */
const FEW = 10;

type Ended = { atMs: number; isFault: boolean };
type Circuit = { ended: Ended[]; inARow: number; openedAtMs: number | null; triedAtMs: number | null };

/** Each node judges by its own pushes. */
export function createCircuits(clock: Clock): Circuits {
  const circuits = new Map<string, Circuit>();
  const nowMs = () => clock.now().getTime();
  const of = (railId: string): Circuit => {
    let circuit = circuits.get(railId);
    if (!circuit) circuits.set(railId, (circuit = { ended: [], inARow: 0, openedAtMs: null, triedAtMs: null }));
    return circuit;
  };
  return {
    isClosed(railId) {
      const circuit = circuits.get(railId);
      if (!circuit || circuit.openedAtMs === null) return true;
      const isRested = nowMs() - circuit.openedAtMs >= REST_MS;
      // A try without an end expires after the same time.
      return isRested && (circuit.triedAtMs === null || nowMs() - circuit.triedAtMs >= REST_MS);
    },
    begin(railId) {
      const circuit = circuits.get(railId);
      if (circuit && circuit.openedAtMs !== null) circuit.triedAtMs = nowMs();
    },
    note(railId, ended) {
      const circuit = of(railId);
      const isFault = ended !== 'answered';
      const atMs = nowMs();
      circuit.inARow = isFault ? circuit.inARow + 1 : 0;
      circuit.ended = [...circuit.ended.filter((one) => one.atMs > atMs - WINDOW_MS).slice(-99), { atMs, isFault }];
      const faults = circuit.ended.filter((one) => one.isFault).length;
      const isHalf = circuit.ended.length >= FEW && faults * 2 >= circuit.ended.length;
      if (!isFault && circuit.openedAtMs !== null) {
        Object.assign(circuit, { ended: [], openedAtMs: null, triedAtMs: null });
        return;
      }
      const isBroken = ended === 'misconfigured' || circuit.openedAtMs !== null || circuit.inARow >= IN_A_ROW || isHalf;
      if (isFault && isBroken) Object.assign(circuit, { openedAtMs: atMs, triedAtMs: null });
    },
  };
}
