// Counts, times and traces each call to a rail by connector, kind, call and result.
import { counts, secondsSince } from '../metrics/counts.ts';
import type { RailClients, RailKind } from '../providers/connector.ts';
import { inSpan, annotateSpan } from '../metrics/span.ts';

type Call = (...args: unknown[]) => unknown;
const isCall = (value: unknown): value is Call => typeof value === 'function';
type About = { connector: string; kind: RailKind };

/** Wraps the functions of rail clients, so that each call is counted, timed and traced. */
export function instrumentClients(about: About, clients: RailClients): RailClients {
  const metered = Object.entries(clients).map(([name, client]) => {
    // A rail client also has plain properties, which stay unchanged.
    const all = Object.entries(client).map(([call, run]) => [call, isCall(run) ? measureCalls(about, call, run) : run]);
    return [name, Object.fromEntries(all)];
  });
  return Object.fromEntries(metered) as RailClients;
}

function measureCalls({ connector, kind }: About, call: string, run: Call): Call {
  const record = (startedAt: number, result: string) => {
    counts.railCalls.observe({ connector, kind, call, result }, secondsSince(startedAt));
    annotateSpan({ 'balcao.result': result });
  };
  const values = { 'balcao.connector': connector, 'balcao.kind': kind };
  return (...args) =>
    inSpan({ name: `rail ${kind} ${call}`, values }, async () => {
      const startedAt = performance.now();
      try {
        const answer = await run(...args);
        record(startedAt, resultOf(answer));
        return answer;
      } catch (error) {
        record(startedAt, 'error');
        throw error;
      }
    });
}

/** Returns the `result` of an outcome (providers/provider.ts). A list or plain value counts as `told`. */
function resultOf(answer: unknown): string {
  const { result } = (answer ?? {}) as { result?: unknown };
  if (typeof result === 'string') return result;
  const isAnswer = Array.isArray(answer)
    ? answer.some((one) => resultOf(one) !== 'unknown')
    : answer !== null && answer !== false;
  return isAnswer ? 'told' : 'unknown';
}
