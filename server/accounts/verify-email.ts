// POST /api/auth/verify-email and …/resend: proving that an address is one's own.
import { LockMode } from '@mikro-orm/postgresql';
import type { Core } from '../core.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../events/audit.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { User } from './entities.ts';
import { makeLink, takeLink } from './mail-token.ts';
import { takeMailTurn } from './mail-turn.ts';
import { emailRequest, tokenRequest } from './people-schemas.ts';
import { message } from './people-view.ts';
import { workLater } from './work-later.ts';

const about = { method: 'POST', tag: 'Accounts', access: { kind: 'public' }, bucket: 'public' } as const;

export function declareVerify(core: Core): Route {
  return route({
    ...about,
    path: '/api/auth/verify-email',
    operationId: 'verifyEmail',
    summary: 'Confirm an address by the link that was mailed to it',
    body: tokenRequest,
    example: { token: '9Xb2rKd0vQe7TzLmWc4uYp' },
    refusals: { 400: 'link_invalid: used, expired after 24 hours, or replaced by a newer one' },
    answers: { 200: { description: 'Confirmed: the person can sign in', schema: message } },
    async run({ body, address }) {
      await verifyEmail(core, body.token, address);
      return { status: 200, body: { message: 'This address is confirmed. You can sign in now.' } };
    },
  });
}

/** Uses the link. @throws Problem link_invalid */
export async function verifyEmail(core: Core, token: string, address: string): Promise<void> {
  const at = core.clock.now();
  await inTransaction(core, async (db) => {
    const user = await takeLink(core, db, token, 'verify');
    if (!user) throw new Problem('link_invalid');
    const set = { verifiedAt: user.verifiedAt ?? at, updatedAt: at };
    await em(db).nativeUpdate(User, { id: user.id }, set);
    const actor = { kind: 'user', id: user.id, address } as const;
    await recordAudit(db, { merchantId: null, actor, action: 'account.verified', target: user.id, at });
  });
}

export function declareResend(core: Core): Route {
  return route({
    ...about,
    path: '/api/auth/verify-email/resend',
    operationId: 'resendVerification',
    summary: 'Mail the link of a registration again',
    description: 'The older link works no more. Nothing is sent where there is nothing to confirm; nothing tells.',
    body: emailRequest,
    example: { email: 'ana@loja.example' },
    answers: { 200: { description: 'Sent, if there is something to confirm', schema: message } },
    run({ body }) {
      workLater(core, () => resendLink(core, body.email));
      return { status: 200, body: { message: 'If this address waits to be confirmed, a new link was sent to it.' } };
    },
  });
}

async function resendLink(core: Core, email: string): Promise<void> {
  await inTransaction(core, async (db) => {
    if (!(await takeMailTurn(core, db, email, 'register'))) return;
    const unproven = { email, verifiedAt: null, passwordHash: { $ne: null } };
    const user = await em(db).findOne(User, unproven, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user) return;
    const { language, firstName } = user;
    const link = await makeLink(core, db, user, 'verify');
    await writeMail(core, db, { to: email, language, template: 'verify', values: { firstName, link } });
  });
}
