// POST /api/profile/password: another password for somebody who knows the one they have.
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf, recordAudit } from '../events/audit.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { invalid } from '../http/problem.ts';
import { writeMail } from '../mail/write.ts';
import { User } from './entities.ts';
import { tryOnce } from './lockout.ts';
import { endLinks } from './mail-token.ts';
import { checkPassword, findPasswordFaults, hashPassword } from './password.ts';
import { passwordRequest } from './people-schemas.ts';
import { message } from './people-view.ts';
import { findPerson } from './profile.ts';
import { endSessions } from './sessions.ts';

export function declarePassword(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/profile/password',
    operationId: 'changePassword',
    tag: 'Profile',
    summary: 'Change your password',
    description:
      'Ends every other session of yours. Wrong passwords count as failed sign-ins, after which you wait (429). Idempotency-Key is not honoured.',
    access: { kind: 'user' },
    bucket: 'write',
    body: passwordRequest,
    example: { currentPassword: 'sete-barcos-na-ilha', password: 'oito-canoas-no-kwanza' },
    refusals: { 400: 'wrong_password at /currentPassword; or a new one that is too short or too easy to guess' },
    answers: { 200: { description: 'Changed', schema: message } },
    async run({ caller, body, address }) {
      const user = await findPerson(core, caller);
      const faults = findPasswordFaults(body.password, [user.email, user.firstName, user.lastName], '/password');
      if (faults.length > 0) throw invalid(faults);
      await requirePassword(core, user, { password: body.currentPassword, address }, '/currentPassword');
      await changePassword(core, {
        caller,
        user,
        passwordHash: await hashPassword(body.password, core.passwordCost),
        address,
      });
      return { status: 200, body: { message: 'Your password was changed. Your other sessions have ended.' } };
    },
  });
}

/** Tries a person's password, which counts. @throws Problem validation_failed at `pointer`, too_many_failures */
export async function requirePassword(
  core: Core,
  user: User,
  { password, address }: { password: string; address: string },
  pointer: string,
): Promise<void> {
  const isRight = await tryOnce(core, { email: user.email, address }, async () =>
    (await checkPassword(password, user.passwordHash ?? null, core.passwordCost)).isRight ? true : null,
  );
  if (!isRight) throw invalid([{ pointer, code: 'wrong_password' }]);
}

type Change = { caller: Caller; user: User; passwordHash: string; address: string };

async function changePassword(core: Core, { caller, user, passwordHash, address }: Change): Promise<void> {
  const at = core.clock.now();
  const { id, email: to, language, firstName } = user;
  await inTransaction(core, async (db) => {
    const unchanged = { id, passwordHash: user.passwordHash ?? '' };
    const changed = await em(db).nativeUpdate(User, unchanged, { passwordHash, updatedAt: at });
    // Changed meanwhile by somebody else who knew it, or by a link: what was given is their password no more.
    if (changed === 0) throw invalid([{ pointer: '/currentPassword', code: 'wrong_password' }]);
    await endLinks(db, id);
    await endSessions(db, id, at, caller.sessionId);
    await writeMail(core, db, { to, language, template: 'passwordChanged', values: { firstName } });
    const actor = actorOf(caller, address);
    await recordAudit(db, { merchantId: null, actor, action: 'password.changed', target: id, at });
  });
}
