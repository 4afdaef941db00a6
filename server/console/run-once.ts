// Idempotency for forms whose answers hold secrets: stores only that the form was sent, not the answer.
import type { OperationCall } from '../../shared/console.ts';
import type { Core } from '../core.ts';
import { storeKey, releaseKey } from '../http/idempotency.ts';
import { Problem, type Answer } from '../http/problem.ts';

/** The user who sent a form, and the form's operation call with its idempotency key. */
type FormCall = { userId: string; operationCall: OperationCall };
type Work = () => Promise<Answer>;

/**
 * Runs `work` once per user and form.
 * A repeat that arrives on this node during the run gets the same answer.
 * Any later repeat of the form gets null and does not run.
 * @throws Problem from `work`. The user may then send the form again.
 */
export type RunOnce = (sent: FormCall, work: Work) => Promise<Answer | null>;

/** Detects repeats of a form: on this node in memory, on other nodes by the stored key. */
export function createRunOnce(core: Core): RunOnce {
  const running = new Map<string, Promise<Answer | null>>();
  return ({ userId, operationCall }, work) => {
    // The digest covers the whole operation call, because all forms of a page share one key.
    // The digest is an HMAC, because the call may contain a rail's credentials.
    const [digest] = core.keyring.digests(JSON.stringify(operationCall), 'console form sent');
    const key = `console-once-${digest?.toString('base64url')}`;
    const name = `${userId} ${key}`;
    const begun = running.get(name) ?? run(core, { userId, key }, work).finally(() => running.delete(name));
    running.set(name, begun);
    return begun;
  };
}

async function run(core: Core, { userId, key }: { userId: string; key: string }, work: Work): Promise<Answer | null> {
  // The key is stored under the user's id, because a user may send the form that creates their first merchant.
  const mine = { merchantId: userId, keyed: { key, fingerprint: '' } };
  try {
    await storeKey(core, mine, { status: null, body: null }, core.clock.now());
  } catch (error) {
    if ((error as { code?: string }).code === '23505') return null;
    throw error;
  }
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem) await releaseKey.run(core, { merchantId: userId, key });
    throw error;
  }
}
