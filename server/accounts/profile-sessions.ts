// /api/profile/sessions: where a person is signed in, and ending it.
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { actorOf, recordAudit } from '../events/audit.ts';
import { pageOf, viewPage } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Session } from './entities.ts';
import { bySession, sessionsQuery } from './people-schemas.ts';
import { sessionPage, viewSession } from './people-view.ts';
import { endSession, endSessions } from './sessions.ts';

const about = { tag: 'Profile', access: { kind: 'user' } } as const;

/** Of a person, not ended, not lapsed. */
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
    summary: 'Where you are signed in, newest first',
    bucket: 'read',
    query: sessionsQuery,
    answers: { 200: { description: 'A page', schema: sessionPage } },
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
    description: 'All sessions but the one that asks. Their tokens work for half a minute more, at most.',
    bucket: 'write',
    idempotent: true,
    answers: { 204: { description: 'They have ended' } },
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
    summary: 'Sign out there',
    description: 'Any session of yours, also the one that asks. 404 when it has ended before.',
    bucket: 'write',
    params: bySession,
    idempotent: true,
    answers: { 204: { description: 'It has ended' } },
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
