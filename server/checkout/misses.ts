// Guessing at client tokens: those we never gave are counted by address, apart from all other calls and more strictly.
import { takeFrom } from '../http/limits.ts';
import type { Route } from '../http/route.ts';
import { readClientToken } from '../payments/token.ts';
import type { CheckoutDeps } from './answer.ts';

/**
 * The same routes, which answer 429 to whoever names too many tokens that are not ours. A token of ours, its time over or
 * not, is never refused here: carriers put thousands of payers behind the address of one who guesses.
 */
export function limitMisses({ core, limits }: Pick<CheckoutDeps, 'core' | 'limits'>, routes: Route[]): Route[] {
  return routes.map((declared) => ({
    ...declared,
    async run(request) {
      const { clientToken } = request.params as { clientToken: string };
      if (!readClientToken(core.keyring, clientToken)) await takeFrom(limits, 'miss', request.address, request.ctx);
      return declared.run(request);
    },
  }));
}
