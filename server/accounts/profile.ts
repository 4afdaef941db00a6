// GET and PUT /api/profile: what a person sees and changes of themselves.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { actorOf, changesOf, recordAudit } from '../events/audit.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { Problem } from '../http/problem.ts';
import { runKeyed } from '../http/idempotency.ts';
import { isUsable } from './access.ts';
import { User } from './entities.ts';
import { profileRequest } from './people-schemas.ts';
import { profile, viewProfile } from './people-view.ts';

const about = { path: '/api/profile', tag: 'Profile', access: { kind: 'user' } } as const;

export function profileRoutes(core: Core): Route[] {
  return [declareRead(core), declareChange(core)];
}

function declareRead(core: Core): Route {
  return route({
    ...about,
    method: 'GET',
    operationId: 'readProfile',
    summary: 'Who you are, and where you have access',
    bucket: 'read',
    answers: { 200: { description: 'The profile', schema: profile } },
    run: async ({ caller }) => ({ status: 200, body: await showProfile(core, core, caller) }),
  });
}

function declareChange(core: Core): Route {
  return route({
    ...about,
    method: 'PUT',
    operationId: 'changeProfile',
    summary: 'Change your name, telephone number or language',
    description: 'What is absent stays. `phoneNumber: null` removes it. The address cannot be changed.',
    bucket: 'write',
    body: profileRequest,
    example: { phoneNumber: '923 456 789', language: 'pt' },
    idempotent: true,
    answers: { 200: { description: 'Changed', schema: profile } },
    run({ caller, body, keyed, address }) {
      return runKeyed(core, { merchantId: String(caller.userId), keyed }, async (db) => {
        const before = await findPerson(db, caller, LockMode.PESSIMISTIC_WRITE);
        const at = core.clock.now();
        // Null is no name and no language, only no number.
        const { phoneNumber, ...others } = body;
        const given = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
        const set = { ...Object.fromEntries(given), ...(phoneNumber !== undefined && { phoneNumber }) };
        const changes = changesOf(before, set);
        if (Object.keys(changes).length > 0) {
          await em(db).nativeUpdate(User, { id: before.id }, { ...set, updatedAt: at });
          const actor = actorOf(caller, address);
          await recordAudit(db, { merchantId: null, actor, action: 'profile.changed', target: before.id, changes, at });
        }
        return { status: 200, body: await showProfile(core, db, caller) };
      });
    },
  });
}

async function showProfile(core: Core, db: Db, caller: Caller): Promise<object> {
  const user = await findPerson(db, caller);
  return viewProfile(user, await listAccess.all(db, { userId: user.id, now: core.clock.now() }));
}

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

/** Who calls. @throws Problem not_found when the account is gone */
export async function findPerson(db: Db, { userId }: Caller, lockMode = LockMode.NONE): Promise<User> {
  const user = userId && (await em(db).findOne(User, { id: userId }, { lockMode }));
  if (!user) throw new Problem('not_found');
  return user;
}
