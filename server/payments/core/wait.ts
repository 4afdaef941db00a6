// `Prefer: wait=N` (RFC 7240): holds a response until its payment or refund has an outcome.
import type { Context } from 'koa';
import type { Core } from '../../core.ts';
import type { Answer } from '../../http/problem.ts';

type Waiting<Thing> = {
  look(): Promise<Thing>;
  isOver(thing: Thing): boolean;
  /** The response to send if the query of the current state fails. */
  answer: Answer;
  waitS: number;
  ctx: Context;
};

/** Holds a response until `isOver`, for at most `waitS` seconds, or until the caller disconnects. */
export async function waitFor<Thing extends object>(
  core: Core,
  paymentId: string,
  { look, isOver, answer, waitS, ctx }: Waiting<Thing>,
): Promise<Answer> {
  let outcome: Thing | null = null;
  const isSeenOver = async () => {
    const thing = await look();
    if (isOver(thing)) outcome ??= thing;
    return outcome !== null;
  };
  try {
    await waitUntil(core, paymentId, isSeenOver, waitS * 1000, ctx.req.socket);
    const headers = { ...answer.headers, 'Preference-Applied': `wait=${waitS}` };
    return { ...answer, body: outcome ?? (await look()), headers };
  } catch (error) {
    // The order is recorded and running, so the caller receives the response of its creation.
    core.log.warn({ err: error }, 'could not wait for an outcome');
    return answer;
  }
}

/** Resolves after `isOver`, after the timeout, or after the caller disconnects. */
export async function waitUntil(
  core: Core,
  paymentId: string,
  isOver: () => Promise<boolean>,
  timeoutMs: number,
  socket: NodeJS.EventEmitter,
): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  const signal = AbortSignal.any([ended.signal, core.stopping]);
  const look = async () => {
    if (await isOver()) end();
  };
  // Subscribes before the first check, so that no change is missed. An error in a check ends the wait.
  const unsubscribe = core.changes.subscribe(`payment:${paymentId}`, () => void look().catch(end));
  socket.once('close', end);
  await look().catch(end);
  await core.clock.wait(timeoutMs, signal);
  unsubscribe();
  socket.off('close', end);
}
