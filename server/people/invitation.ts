// POST /api/auth/accept-invitation: an invited person sets name and password.
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { endLinks, findLinkOwner, takeLink } from './email-link.ts';
import { User } from './entities.ts';
import { hasWaitingOffers, acceptOffers } from './memberships.ts';
import { findPasswordFaults, hashPassword } from './password.ts';
import { readLanguage } from './register.ts';
import { acceptance, message, type Acceptance } from './schemas.ts';
import { endSessions } from './sessions.ts';

export function declareAccept(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/auth/accept-invitation',
    operationId: 'acceptInvitation',
    tag: 'Accounts',
    summary: 'Create an account by the link of an invitation',
    description:
      'Confirms the address and accepts the offers made to it. ' +
      'If the address was registered since the invitation, the new name and password replace the registered ones, ' +
      'and its sessions end: the reader of the mail decides.',
    access: { kind: 'public' },
    bucket: 'public',
    body: acceptance,
    example: { token: '9Xb2rKd0vQe7TzLmWc4uYp', password: 'sete-barcos-na-ilha', firstName: 'Ana', lastName: 'Neto' },
    refusals: {
      400: 'link_invalid: used, expired after 30 days, or replaced by a newer one',
    },
    answers: { 200: { description: 'The account is ready: sign in', schema: message } },
    async run({ body, address, ctx }) {
      await acceptInvitation(core, { ...body, language: body.language ?? readLanguage(ctx) }, address);
      return { status: 200, body: { message: 'Your account is ready. Sign in with your password.' } };
    },
  });
}

/**
 * Accepts an invitation and uses up its link. Returns the user's id.
 * @throws Problem link_invalid, validation_failed (`/password`)
 */
export async function acceptInvitation(
  core: Core,
  { token, password, ...about }: Acceptance & { language: Language },
  address: string,
): Promise<string> {
  const invited = await findLinkOwner(core, core, token, 'invite');
  if (!invited) throw new Problem('link_invalid');
  const faults = findPasswordFaults(password, [invited.email, about.firstName, about.lastName], '/password');
  if (faults.length > 0) throw invalidFields(faults);
  const passwordHash = await hashPassword(password, core.passwordCost);
  const at = core.clock.now();
  return inTransaction(core, async (db) => {
    const user = await takeLink(core, db, token, 'invite');
    if (!user || !(await isInvited(db, user, at))) throw new Problem('link_invalid');
    const { firstName, lastName, phoneNumber = null, language } = about;
    const person = { firstName, lastName, phoneNumber, language };
    const set = { ...person, passwordHash, verifiedAt: user.verifiedAt ?? at, updatedAt: at };
    await em(db).nativeUpdate(User, { id: user.id }, set);
    await acceptOffers(db, { userId: user.id, address, at });
    await endSessions(db, user.id, at);
    await endLinks(db, user.id);
    const letter = { to: user.email, language, template: 'passwordChanged', values: { firstName } } as const;
    if (user.verifiedAt) await writeMail(core, db, letter);
    const actor = { kind: 'user', id: user.id, address } as const;
    await recordAudit(db, { merchantId: null, actor, action: 'account.accepted', target: user.id, at });
    return user.id;
  });
}

/** True if the person has an open invitation or no confirmed account. An old mail must not open an account in use. */
export async function isInvited(db: Db, user: User, at: Date): Promise<boolean> {
  return !user.verifiedAt || hasWaitingOffers(db, user.id, at);
}
