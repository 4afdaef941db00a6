// Which accounts fail just now: after five faults in a row, half of two minutes' pushes, or at once where it is set up wrong, an account
// stands back for a minute, then one real push tries it (decisions §15).
import type { Clock } from '../clock.ts';

export type Circuits = {
  /** Whether new pushes may begin with it: closed, or its minute is over and nobody else is trying it. */
  isClosed(railId: string): boolean;
  /** A push was begun: while its minute is over, this one is the try. */
  begin(railId: string): void;
  /** How a push ended: `fault` where the account was not reached, or said that it cannot; `misconfigured`: nor will the next push do. */
  note(railId: string, ended: 'answered' | 'fault' | 'misconfigured'): void;
};

const IN_A_ROW = 5;
const WINDOW_MS = 120_000;
const REST_MS = 60_000;
/** Fewer pushes than this say nothing by their share. */
const FEW = 10;

type Ended = { atMs: number; isFault: boolean };
type Circuit = { ended: Ended[]; inARow: number; openedAtMs: number | null; triedAtMs: number | null };

/** Kept by each node for itself: each learns by its own pushes. */
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
      // A try whose end nobody heard is over after as long again.
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
      } else if (
        isFault &&
        (ended === 'misconfigured' || circuit.openedAtMs !== null || circuit.inARow >= IN_A_ROW || isHalf)
      ) {
        Object.assign(circuit, { openedAtMs: atMs, triedAtMs: null });
      }
    },
  };
}
