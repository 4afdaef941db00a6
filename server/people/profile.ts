// /api/profile: a person's name and language, password, and sessions.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { actorOf, changesOf, recordAudit } from '../audit/record.ts';
import { etagOf, requireMatch } from '../http/precondition.ts';
import { pageOf, viewPage } from '../http/fields.ts';
import { runKeyed } from '../http/idempotency.ts';
import { invalidFields, Problem, type Answer } from '../http/problem.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { endLinks } from './email-link.ts';
import { Session, User } from './entities.ts';
import { tryOnce } from './lockout.ts';
import { isUsable } from './memberships.ts';
import { checkPassword, findPasswordFaults, hashPassword } from './password.ts';
import {
  bySession,
  message,
  passwordRequest,
  profile,
  profileRequest,
  sessionPage,
  sessionsQuery,
  viewProfile,
  viewSession,
} from './schemas.ts';
import { endSession, endSessions } from './sessions.ts';

const about = { tag: 'Profile', access: { kind: 'user' } } as const;

export function profileRoutes(core: Core): Route[] {
  return [declareRead(core), declareChange(core)];
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/profile',
    operationId: 'readProfile',
    summary: 'Read your profile and your access to merchants',
    bucket: 'read',
    tagged: true,
    answers: { 200: { description: 'The profile', schema: profile } },
    run: ({ caller }) => showProfile(core, core, caller),
  });
}

function declareChange(core: Core): Route {
  return route({
    ...about,
    method: 'PUT',
    path: '/api/profile',
    operationId: 'changeProfile',
    summary: 'Change your name, telephone number, language or mail of notices',
    description:
      'Absent fields stay unchanged. `phoneNumber: null` removes the number, `noticeMail: null` restores the default ' +
      'of the role. The e-mail address cannot be changed.',
    bucket: 'write',
    body: profileRequest,
    example: { phoneNumber: '923 456 789', language: 'pt' },
    idempotent: true,
    tagged: true,
    answers: { 200: { description: 'Changed', schema: profile } },
    run({ caller, body, keyed, ifMatch, address }) {
      return runKeyed(core, { merchantId: String(caller.userId), keyed }, async (db) => {
        const before = await findPerson(db, caller, LockMode.PESSIMISTIC_WRITE);
        requireMatch(ifMatch, viewEdited(before));
        const at = core.clock.now();
        // Null removes the telephone number and the choice of notices. Null removes neither name nor language.
        const { phoneNumber, noticeMail, ...others } = body;
        const given = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
        const removable = Object.entries({ phoneNumber, noticeMail }).filter(([, value]) => value !== undefined);
        const set = Object.fromEntries([...given, ...removable]);
        const changes = changesOf(before, set);
        if (Object.keys(changes).length > 0) {
          await em(db).nativeUpdate(User, { id: before.id }, { ...set, updatedAt: at });
          const actor = actorOf(caller, address);
          await recordAudit(db, { merchantId: null, actor, action: 'profile.changed', target: before.id, changes, at });
        }
        return showProfile(core, db, caller);
      });
    },
  });
}

async function showProfile(core: Core, db: Db, caller: Caller): Promise<Answer> {
  const user = await findPerson(db, caller);
  const access = await listAccess.all(db, { userId: user.id, now: core.clock.now() });
  return { status: 200, body: viewProfile(user, access), headers: { ETag: etagOf(viewEdited(user)) } };
}

/** The fields that `PUT /api/profile` changes. The ETag depends on them only. */
const viewEdited = ({ firstName, lastName, phoneNumber, language, noticeMail }: User) => ({
  firstName,
  lastName,
  phoneNumber: phoneNumber ?? null,
  language,
  noticeMail: noticeMail ?? null,
});

const listAccess = prepared((tables, { userId, now }: { userId: string; now: Date }) =>
  tables
    .selectFrom('memberships')
    .innerJoin('merchants', 'merchants.id', 'memberships.merchantId')
    .select(['memberships.merchantId', 'merchants.name', 'memberships.role', 'memberships.createdAt'])
    .where('memberships.userId', '=', userId)
    .where(isUsable(now))
    .orderBy('memberships.createdAt')
    .orderBy('memberships.merchantId'),
);

/** Returns the calling person. @throws Problem not_found if the user account was deleted */
export async function findPerson(db: Db, { userId }: Caller, lockMode = LockMode.NONE): Promise<User> {
  const user = userId && (await em(db).findOne(User, { id: userId }, { lockMode }));
  if (!user) throw new Problem('not_found');
  return user;
}

/** Text of the 429 refusal for operations that check a password or a code. */
export const TOO_MANY = 'too_many_requests; too_many_failures: wrong passwords and codes count as failed sign-ins';

export function declarePassword(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/profile/password',
    operationId: 'changePassword',
    tag: 'Profile',
    summary: 'Change your password',
    description:
      'Ends your other sessions. Wrong passwords count as failed sign-ins, which can lock you out for a while (429). ' +
      'Idempotency-Key is not supported.',
    access: { kind: 'user' },
    bucket: 'write',
    body: passwordRequest,
    example: { currentPassword: 'sete-barcos-na-ilha', password: 'oito-canoas-no-kwanza' },
    refusals: {
      400: 'wrong_password at /currentPassword; or a new password that is too short or too easy to guess',
      429: TOO_MANY,
    },
    answers: { 200: { description: 'Changed', schema: message } },
    async run({ caller, body, address }) {
      const user = await findPerson(core, caller);
      const faults = findPasswordFaults(body.password, [user.email, user.firstName, user.lastName], '/password');
      if (faults.length > 0) throw invalidFields(faults);
      await requirePassword(core, user, { password: body.currentPassword, address }, '/currentPassword');
      const passwordHash = await hashPassword(body.password, core.passwordCost);
      const at = core.clock.now();
      const { id, email: to, language, firstName } = user;
      await inTransaction(core, async (db) => {
        const unchanged = { id, passwordHash: user.passwordHash ?? '' };
        const changed = await em(db).nativeUpdate(User, unchanged, { passwordHash, updatedAt: at });
        // Another session or a mailed link has changed the password, so `currentPassword` in the request is outdated.
        if (changed === 0) throw invalidFields([{ pointer: '/currentPassword', code: 'wrong_password' }]);
        await endLinks(db, id);
        await endSessions(db, id, at, caller.sessionId);
        await writeMail(core, db, { to, language, template: 'passwordChanged', values: { firstName } });
        const actor = actorOf(caller, address);
        await recordAudit(db, { merchantId: null, actor, action: 'password.changed', target: id, at });
      });
      return { status: 200, body: { message: 'Your password was changed. Your other sessions have ended.' } };
    },
  });
}

/** Checks a person's password and counts failures. @throws Problem validation_failed at `pointer`, too_many_failures */
export async function requirePassword(
  core: Core,
  user: User,
  { password, address }: { password: string; address: string },
  pointer: string,
): Promise<void> {
  const isRight = await tryOnce(core, { email: user.email, address }, async () =>
    (await checkPassword(password, user.passwordHash ?? null, core.passwordCost)).isRight ? true : null,
  );
  if (!isRight) throw invalidFields([{ pointer, code: 'wrong_password' }]);
}

/** Condition for a person's active sessions. */
const liveOf = (userId: string, now: Date) => ({ userId, revokedAt: null, expiresAt: { $gt: now } });

export function sessionRoutes(core: Core): Route[] {
  return [declareList(core), declareEndOthers(core), declareEnd(core)];
}

function declareList(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    path: '/api/profile/sessions',
    operationId: 'listSessions',
    summary: 'List your sessions, newest first',
    bucket: 'read',
    query: sessionsQuery,
    answers: { 200: { description: 'A page of sessions', schema: sessionPage } },
    async run({ caller, query }) {
      const live = liveOf(String(caller.userId), core.clock.now());
      const newest = { orderBy: { createdAt: 'desc', id: 'desc' }, ...pageOf(query) } as const;
      const [found, total] = await em(core).findAndCount(Session, live, newest);
      const data = found.map((session) => viewSession(session, caller.sessionId));
      return { status: 200, body: viewPage(data, query, total) };
    },
  });
}

function declareEndOthers(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    path: '/api/profile/sessions',
    operationId: 'endOtherSessions',
    summary: 'Sign out everywhere else',
    description: 'Ends all your sessions except that of this request. Their tokens stop working within 30 seconds.',
    bucket: 'write',
    idempotent: true,
    answers: { 204: { description: 'The other sessions have ended' } },
    run({ caller, keyed, address }) {
      const userId = String(caller.userId);
      return runKeyed(core, { merchantId: userId, keyed }, async (db) => {
        const at = core.clock.now();
        const count = await endSessions(db, userId, at, caller.sessionId);
        const entry = { action: 'sessions.ended', target: userId, changes: { count }, at };
        if (count > 0) await recordAudit(db, { merchantId: null, actor: actorOf(caller, address), ...entry });
        return { status: 204 };
      });
    },
  });
}

function declareEnd(core: Core): Route {
  return route({
    ...about,
    method: 'DELETE',
    path: '/api/profile/sessions/{sessionId}',
    operationId: 'endSession',
    summary: 'End one of your sessions',
    description: 'May be the session of this request. 404 if it has already ended.',
    bucket: 'write',
    params: bySession,
    idempotent: true,
    answers: { 204: { description: 'The session has ended' } },
    run({ caller, params, keyed, address }) {
      const userId = String(caller.userId);
      return runKeyed(core, { merchantId: userId, keyed }, async (db) => {
        const at = core.clock.now();
        const session = await em(db).findOne(Session, { ...liveOf(userId, at), id: params.sessionId });
        if (!session || !(await endSession(db, session.id, at))) throw new Problem('not_found');
        const entry = { action: 'session.ended', target: userId, changes: { sessionId: session.id }, at };
        await recordAudit(db, { merchantId: null, actor: actorOf(caller, address), ...entry });
        return { status: 204 };
      });
    },
  });
}
