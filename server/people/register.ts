// Registering, and proving that the address is one's own.
import { LockMode } from '@mikro-orm/postgresql';
import type { Context } from 'koa';
import { v4 as uuid } from 'uuid';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../events/audit.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { makeLink, takeLink, takeMailTurn, runInBackground } from './email-link.ts';
import { User } from './entities.ts';
import { hashPassword } from './password.ts';
import {
  emailRequest,
  findNewPasswordFaults,
  message,
  registration,
  tokenRequest,
  type Registration,
} from './schemas.ts';

export function declareRegister(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/auth/register',
    operationId: 'registerPerson',
    tag: 'Accounts',
    summary: 'Register a person',
    description:
      'A mail with a link goes to the address; nobody signs in before it was followed. The answer is the same where there is an account already, which stays as it is: its owner is told by mail. Registering again before the link was followed replaces what was sent before.',
    access: { kind: 'public' },
    bucket: 'public',
    body: registration,
    checkBody: findNewPasswordFaults,
    example: {
      email: 'ana@loja.example',
      password: 'mulemba kitanda roxo 57',
      firstName: 'Ana',
      lastName: 'Domingos',
      phoneNumber: '923456789',
    },
    answers: { 201: { description: 'Registered, or not: read your mail', schema: message } },
    async run({ body, address, ctx }) {
      const passwordHash = await hashPassword(body.password, core.passwordCost);
      const person = { ...body, language: body.language ?? readLanguage(ctx) };
      await inTransaction(core, (db) => writeRegistration(core, db, { person, passwordHash, address }));
      return { status: 201, body: { message: 'A mail was sent to this address. Follow the link in it.' } };
    },
  });
}

type NewPerson = { person: Registration & { language: Language }; passwordHash: string; address: string };

/** Writes one mail, and as many rows, whoever it is about. */
async function writeRegistration(core: Core, db: Db, { person, passwordHash, address }: NewPerson): Promise<void> {
  const { email: to, firstName, language } = person;
  if (!(await takeMailTurn(core, db, to, 'register'))) return;
  const id = await writeUnproven(db, { person, passwordHash, at: core.clock.now() });
  if (id !== null) {
    const link = await makeLink(core, db, { id, language }, 'verify');
    await writeMail(core, db, { to, language, template: 'verify', values: { firstName, link } });
    return auditRegistration(core, db, { action: 'account.registered', target: id, address });
  }
  const owner = await em(db).findOneOrFail(User, { email: to });
  const link = `${core.publicUrl}/account/recover?lang=${owner.language}`;
  const values = { firstName: owner.firstName, link };
  await writeMail(core, db, { to, language: owner.language, template: 'registered', values });
  await auditRegistration(core, db, { action: 'account.registration_refused', target: owner.id, address });
}

type Unproven = { person: NewPerson['person']; passwordHash: string; at: Date };

/** The row of an address that nobody proved to be theirs, new or replaced; null: somebody did. */
async function writeUnproven(db: Db, { person, passwordHash, at }: Unproven): Promise<string | null> {
  const { email, firstName, lastName, phoneNumber = null, language } = person;
  const about = { passwordHash, firstName, lastName, phoneNumber, language };
  const written = await upsertUnproven.first(db, {
    row: { id: uuid(), email, ...about, createdAt: at, updatedAt: at },
  });
  return written?.id ?? null;
}

type UnprovenRow = Pick<User, 'id' | 'email' | 'firstName' | 'lastName' | 'language' | 'createdAt' | 'updatedAt'> & {
  passwordHash: string;
  phoneNumber: string | null;
};

const upsertUnproven = prepared((tables, { row }: { row: UnprovenRow }) =>
  tables
    .insertInto('users')
    .values(row)
    .onConflict((known) =>
      known
        .column('email')
        .doUpdateSet((eb) => ({
          passwordHash: eb.ref('excluded.passwordHash'),
          firstName: eb.ref('excluded.firstName'),
          lastName: eb.ref('excluded.lastName'),
          phoneNumber: eb.ref('excluded.phoneNumber'),
          language: eb.ref('excluded.language'),
          updatedAt: eb.ref('excluded.updatedAt'),
        }))
        .where('users.verifiedAt', 'is', null),
    )
    .returning('id'),
);

type Entry = { action: string; target: string; address: string };

/** Whoever it was: nobody has proved yet to be the person. */
function auditRegistration(core: Core, db: Db, { action, target, address }: Entry): Promise<void> {
  const actor = { kind: 'system', id: 'accounts', address } as const;
  return recordAudit(db, { merchantId: null, actor, action, target, at: core.clock.now() });
}

/** What the browser or app asks for; Portuguese where it does not say. */
export function readLanguage(ctx: Context): Language {
  const wanted = ctx.acceptsLanguages(...LANGUAGES);
  return LANGUAGES.find((known) => known === wanted) ?? 'pt';
}

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
      runInBackground(core, () => resendLink(core, body.email));
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
