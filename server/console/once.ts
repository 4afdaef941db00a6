// Forms that count once though their operation keeps no answers under keys, as those hold secrets: that they were sent is kept instead.
import type { Ask } from '../../shared/console.ts';
import type { Core } from '../core.ts';
import { keepKey, releaseKey } from '../http/idempotency.ts';
import { Problem, type Answer } from '../http/problem.ts';

/** Whose form it is, and what it asks, with its key. */
type Sent = { userId: string; asked: Ask };
type Work = () => Promise<Answer>;

/**
 * Does `work` once for all that the same person asks by the same form. Whoever presses again at the same moment, on this node, hears
 * its answer too; null: it was sent before, and does no more.
 * @throws Problem as `work`: what was refused may be sent again
 */
export type CallOnce = (sent: Sent, work: Work) => Promise<Answer | null>;

/** For one node. */
export function openOnce(core: Core): CallOnce {
  const running = new Map<string, Promise<Answer | null>>();
  return ({ userId, asked }, work) => {
    // By all that it asks: forms of one page have one key. Keyed, as it may hold what a rail's contract keeps secret.
    const [digest] = core.keyring.digests(JSON.stringify(asked), 'console form sent');
    const key = `console-once-${digest?.toString('base64url')}`;
    const name = `${userId} ${key}`;
    const begun = running.get(name) ?? run(core, { userId, key }, work).finally(() => running.delete(name));
    running.set(name, begun);
    return begun;
  };
}

async function run(core: Core, { userId, key }: { userId: string; key: string }, work: Work): Promise<Answer | null> {
  // Among the keys of merchants it is a person's: somebody without a merchant makes their first one.
  const mine = { merchantId: userId, keyed: { key, fingerprint: '' } };
  try {
    await keepKey(core, mine, { status: null, body: null }, core.clock.now());
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
