// Counting in Redis, for all nodes together: where it does not answer this node counts alone, and a Redis that hangs is hardly asked.
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../../clock.ts';

/** Counts one of `who`, or more. @throws RateLimiterRes where it is one too many */
export type Limiter = { consume(who: string, points?: number): Promise<RateLimiterRes> };

const IN_A_ROW = 3;
const REST_MS = 5_000;

/** Whether Redis may be asked: after three time-outs in a row one asks every five seconds, and who else comes does not wait for it. */
type Patience = { mayAsk(): boolean; note(isAnswered: boolean): void };

export function createPatience(clock: Clock): Patience {
  let missed = 0;
  let asksAgainAtMs = 0;
  const rest = () => {
    asksAgainAtMs = clock.now().getTime() + REST_MS;
  };
  return {
    mayAsk() {
      if (missed < IN_A_ROW) return true;
      if (clock.now().getTime() < asksAgainAtMs) return false;
      rest();
      return true;
    },
    note(isAnswered) {
      missed = isAnswered ? 0 : missed + 1;
      if (missed === IN_A_ROW) rest();
    },
  };
}

/** Without the shared one limits loosen, and payments go on. */
export function preferShared(shared: Limiter, local: Limiter, patience: Patience): Limiter {
  return {
    async consume(who, points = 1) {
      if (!patience.mayAsk()) return local.consume(who, points);
      try {
        const counted = await shared.consume(who, points);
        patience.note(true);
        return counted;
      } catch (error) {
        if (error instanceof RateLimiterRes) {
          patience.note(true);
          throw error;
        }
        // Any other error comes at once: nobody waits for it.
        if ((error as Error).message === 'Command timed out') patience.note(false);
        return local.consume(who, points);
      }
    },
  };
}
