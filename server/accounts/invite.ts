// The mail that tells somebody of the access they were given: with a link for those who have no account yet.
import type { RoleName } from '../../shared/roles.ts';
import type { Core } from '../core.ts';
import type { Db } from '../database/db.ts';
import { writeMail } from '../mail/write.ts';
import type { User } from './entities.ts';
import { makeLink } from './mail-token.ts';
import { takeMailTurn } from './mail-turn.ts';

/**
 * An account whose address nobody proved counts as none: whoever made it is not let in by the password they chose.
 * The link is made for everybody, used or not, so that the time it takes tells nothing of the address.
 */
export async function mailGrant(
  core: Core,
  db: Db,
  { user, merchant, role }: { user: User; merchant: string; role: RoleName },
): Promise<void> {
  const { email: to, language } = user;
  if (!(await takeMailTurn(core, db, to, 'invite'))) return;
  const link = await makeLink(core, db, user, 'invite');
  if (user.verifiedAt) await writeMail(core, db, { to, language, template: 'granted', values: { merchant, role } });
  else await writeMail(core, db, { to, language, template: 'invite', values: { merchant, role, link } });
}
