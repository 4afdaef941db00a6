// POST /api/auth/recover and /api/auth/reset: a new password by a link in a mail.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { endLinks, findLinkOwner, makeLink, takeLink, countMailRequest, runInBackground } from './email-link.ts';
import { User } from './entities.ts';
import { clearLocks } from './lockout.ts';
import { acceptOffers } from './memberships.ts';
import { findPasswordFaults, hashPassword } from './password.ts';
import { emailRequest, message, resetRequest } from './schemas.ts';
import { endSessions } from './sessions.ts';

const about = { method: 'POST', tag: 'Accounts', access: { kind: 'public' }, bucket: 'public' } as const;

export function declareRecover(core: Core): Route {
  return route({
    ...about,
    path: '/api/auth/recover',
    operationId: 'recoverAccount',
    summary: 'Mail a link to choose a new password',
    description:
      'Only the newest link works, once, within an hour. The answer does not show whether the account exists.',
    mails: true,
    body: emailRequest,
    example: { email: 'ana@loja.example' },
    answers: { 200: { description: 'Sent, if there is an account', schema: message } },
    run({ body }) {
      runInBackground(core, () => sendReset(core, body.email));
      return { status: 200, body: { message: 'If there is an account with this address, a link was sent to it.' } };
    },
  });
}

/** Mails a reset link, but not to an invited person without a password: the invitation creates that account. */
export async function sendReset(core: Core, email: string): Promise<void> {
  await inTransaction(core, async (db) => {
    if (!(await countMailRequest(core, db, email, 'reset'))) return;
    const known = { email, passwordHash: { $ne: null } };
    const user = await em(db).findOne(User, known, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user) return;
    const { language, firstName } = user;
    const link = await makeLink(core, db, user, 'reset');
    await writeMail(core, db, { to: email, language, template: 'reset', values: { firstName, link } });
  });
}

export function declareReset(core: Core): Route {
  return route({
    ...about,
    path: '/api/auth/reset',
    operationId: 'resetPassword',
    summary: 'Choose a new password by the mailed link',
    description:
      'Ends every session and confirms the address. Two-step sign-in stays on. ' +
      'A refused password does not use up the link.',
    body: resetRequest,
    example: { token: '9Xb2rKd0vQe7TzLmWc4uYp', password: 'sete-barcos-na-ilha' },
    refusals: { 400: 'link_invalid: used, expired after an hour, or replaced by a newer one; or password too easy' },
    answers: { 200: { description: 'Changed: sign in with it', schema: message } },
    async run({ body, address }) {
      await resetPassword(core, body, address);
      return { status: 200, body: { message: 'Your password was changed. Sign in with it.' } };
    },
  });
}

/** Sets a new password and uses up its link. @throws Problem link_invalid, validation_failed (`/password`) */
export async function resetPassword(
  core: Core,
  { token, password }: { token: string; password: string },
  address: string,
): Promise<void> {
  const owner = await findLinkOwner(core, core, token, 'reset');
  if (!owner) throw new Problem('link_invalid');
  const faults = findPasswordFaults(password, [owner.email, owner.firstName, owner.lastName], '/password');
  if (faults.length > 0) throw invalidFields(faults);
  const passwordHash = await hashPassword(password, core.passwordCost);
  await inTransaction(core, async (db) => {
    const user = await takeLink(core, db, token, 'reset');
    if (!user) throw new Problem('link_invalid');
    const at = core.clock.now();
    const { id, email: to, language, firstName } = user;
    await em(db).nativeUpdate(User, { id }, { passwordHash, verifiedAt: user.verifiedAt ?? at, updatedAt: at });
    await acceptOffers(db, { userId: id, address, at });
    await endLinks(db, id);
    await endSessions(db, id, at);
    await clearLocks(core, db, to);
    await writeMail(core, db, { to, language, template: 'passwordChanged', values: { firstName } });
    const actor = { kind: 'user', id, address } as const;
    await recordAudit(db, { merchantId: null, actor, action: 'password.reset', target: id, at });
  });
}
