// Counts, times and traces every call to a rail, by connector, kind, call and result.
import { counts, secondsSince } from '../metrics/counts.ts';
import type { RailClients, RailKind } from '../providers/connector.ts';
import { inSpan, noteInSpan } from '../metrics/span.ts';

type Call = (...given: unknown[]) => unknown;
const isCall = (value: unknown): value is Call => typeof value === 'function';
type About = { connector: string; kind: RailKind };

/** Wraps each call of the clients. */
export function instrumentClients(about: About, clients: RailClients): RailClients {
  const metered = Object.entries(clients).map(([name, client]) => {
    // A client's properties are no calls.
    const all = Object.entries(client).map(([call, run]) => [call, isCall(run) ? meter(about, call, run) : run]);
    return [name, Object.fromEntries(all)];
  });
  return Object.fromEntries(metered) as RailClients;
}

function meter({ connector, kind }: About, call: string, run: Call): Call {
  const note = (startedAt: number, result: string) => {
    counts.railCalls.observe({ connector, kind, call, result }, secondsSince(startedAt));
    noteInSpan({ 'balcao.result': result });
  };
  const values = { 'balcao.connector': connector, 'balcao.kind': kind };
  return (...given) =>
    inSpan({ name: `rail ${kind} ${call}`, values }, async () => {
      const startedAt = performance.now();
      try {
        const said = await run(...given);
        note(startedAt, resultOf(said));
        return said;
      } catch (error) {
        note(startedAt, 'error');
        throw error;
      }
    });
}

/** The outcome's `result` (providers/provider.ts). For lists and plain values: true if there is an answer. */
function resultOf(said: unknown): string {
  const { result } = (said ?? {}) as { result?: unknown };
  if (typeof result === 'string') return result;
  const isAnswer = Array.isArray(said)
    ? said.some((one) => resultOf(one) !== 'unknown')
    : said !== null && said !== false;
  return isAnswer ? 'told' : 'unknown';
}
