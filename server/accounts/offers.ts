// Who offers a person access that they have not taken up: told to whoever opens the link of an invitation.
import type { Core } from '../core.ts';
import { isWaiting } from './access.ts';

/** Names of the merchants whose offer such a link takes up, the oldest first; at most three: it is one line. */
export async function listOfferers({ pool, clock }: Pick<Core, 'pool' | 'clock'>, userId: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select left(name, 80) as name from memberships join merchants on merchants.id = merchant_id
     where user_id = $1 and ${isWaiting('$2')}
     order by memberships.created_at, merchant_id limit 3`,
    [userId, clock.now()],
  );
  return rows.map(({ name }) => name);
}
