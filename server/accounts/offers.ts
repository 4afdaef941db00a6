// Who offers a person access that they have not taken up: told to whoever opens the link of an invitation.
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { isWaiting } from './access.ts';

/** Names of the merchants whose offer such a link takes up, the oldest first; at most three: it is one line. */
export async function listOfferers(
  core: Pick<Core, 'orm' | 'pool' | 'clock' | 'listeners'>,
  userId: string,
): Promise<string[]> {
  const offers = await readOffers.all(core, { userId, now: core.clock.now() });
  return offers.map(({ name }) => name);
}

const readOffers = prepared((tables, { userId, now }: { userId: string; now: Date }) =>
  tables
    .selectFrom('memberships')
    .innerJoin('merchants', 'merchants.id', 'memberships.merchantId')
    .select((eb) => eb.fn<string>('left', ['merchants.name', eb.lit(80)]).as('name'))
    .where('memberships.userId', '=', userId)
    .where(isWaiting(now))
    .orderBy('memberships.createdAt')
    .orderBy('memberships.merchantId')
    .limit(3),
);
