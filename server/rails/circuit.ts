// Circuit breakers of rail accounts. An open circuit moves an account to the end of the list for new pushes.
//
// - Closed: the account takes new pushes. Five consecutive faults or a misconfigured account open the circuit.
//   Faults in half of the last two minutes' pushes open it too, if there were ten pushes or more.
// - Open: other accounts take the new pushes for one minute. An account without an alternative still takes them.
// - Half-open: after this minute one push probes the account. An answer closes the circuit, a fault opens it again.
//
// The trade-off: each node counts only its own pushes, in memory. No push needs a query or a message to other nodes.
// In return, each node loses a few pushes to a failing account before that node's circuit opens.
import { MINUTE_MS } from '../../shared/durations.ts';
import type { Clock } from '../clock.ts';

export type Circuits = {
  /** True if the account's circuit is closed, or half-open without a probe. */
  isClosed(railId: string): boolean;
  /** Records the start of a push. If the account's circuit is open, this push is the probe. */
  begin(railId: string): void;
  /** Records the end of a push. `misconfigured`: every later push will fail too. */
  note(railId: string, ended: 'answered' | 'fault' | 'misconfigured'): void;
};

const MAX_CONSECUTIVE_FAULTS = 5;
const SHARE_WINDOW_MS = 2 * MINUTE_MS;
const OPEN_MS = MINUTE_MS;
/** Minimum pushes in the window. With fewer pushes, the share of faults is not significant. */
const MIN_PUSHES = 10;

type FinishedPush = { atMs: number; isFault: boolean };

type Circuit = {
  /** `recent`: the last pushes within the window, at most 100. A probe's success clears them. */
  recent: FinishedPush[];
  /** `consecutiveFaults`: the number of faults since the last answered push. */
  consecutiveFaults: number;
  /** `openedAtMs`: the time of the fault that opened the circuit. Null: the circuit is closed. */
  openedAtMs: number | null;
  /** `probedAtMs`: the start of the last probe since the circuit opened. Null: no probe yet. */
  probedAtMs: number | null;
};

/** Creates the circuit breakers of this node. */
export function createCircuits(clock: Clock): Circuits {
  const circuits = new Map<string, Circuit>();
  const nowMs = () => clock.now().getTime();
  const of = (railId: string): Circuit => {
    let circuit = circuits.get(railId);
    if (!circuit)
      circuits.set(railId, (circuit = { recent: [], consecutiveFaults: 0, openedAtMs: null, probedAtMs: null }));
    return circuit;
  };
  return {
    isClosed(railId) {
      const circuit = circuits.get(railId);
      if (!circuit || circuit.openedAtMs === null) return true;
      const isHalfOpen = nowMs() - circuit.openedAtMs >= OPEN_MS;
      // A probe without a result expires after the same time as an open circuit.
      return isHalfOpen && (circuit.probedAtMs === null || nowMs() - circuit.probedAtMs >= OPEN_MS);
    },
    begin(railId) {
      const circuit = circuits.get(railId);
      if (circuit && circuit.openedAtMs !== null) circuit.probedAtMs = nowMs();
    },
    note(railId, ended) {
      const circuit = of(railId);
      const isFault = ended !== 'answered';
      const atMs = nowMs();
      circuit.consecutiveFaults = isFault ? circuit.consecutiveFaults + 1 : 0;
      circuit.recent = [
        ...circuit.recent.filter((one) => one.atMs > atMs - SHARE_WINDOW_MS).slice(-99),
        { atMs, isFault },
      ];
      const faults = circuit.recent.filter((one) => one.isFault).length;
      const isHalfFaulty = circuit.recent.length >= MIN_PUSHES && faults * 2 >= circuit.recent.length;
      if (!isFault && circuit.openedAtMs !== null) {
        Object.assign(circuit, { recent: [], openedAtMs: null, probedAtMs: null });
        return;
      }
      const isBroken =
        ended === 'misconfigured' ||
        circuit.openedAtMs !== null ||
        circuit.consecutiveFaults >= MAX_CONSECUTIVE_FAULTS ||
        isHalfFaulty;
      if (isFault && isBroken) Object.assign(circuit, { openedAtMs: atMs, probedAtMs: null });
    },
  };
}
