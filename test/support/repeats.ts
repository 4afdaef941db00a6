// A repeat with an Idempotency-Key shows the current state, so it has the ids of the first response, not its bytes.
import type { Reply } from './app.ts';

/** Returns the ids of the payments or refunds in a response. The image of a QR code has the id in a header. */
export function madeIdsOf({ json, headers }: Pick<Reply, 'json' | 'headers'>): (string | null)[] {
  const made: { internalId?: string; id?: string }[] = json?.data ?? [json ?? {}];
  return made.map(({ internalId, id }) => internalId ?? id ?? headers.get('payment-id'));
}
