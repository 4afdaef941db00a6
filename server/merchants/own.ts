// Whose merchant it is: paths name one, and only the caller's own is there for them.
import { z } from 'zod';
import { Problem } from '../http/problem.ts';

export const byMerchant = z.object({
  merchantId: z.string().describe('Your own: `merchantId` of each of your payments'),
});

/** @throws Problem not_found for another merchant, known or not */
export function requireOwn(caller: { merchantId: string }, params: { merchantId: string }): void {
  if (params.merchantId.toLowerCase() !== caller.merchantId) throw new Problem('not_found');
}
