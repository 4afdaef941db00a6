// POST /api/auth/register: the same answer, after the same work, whether the address has an account or not.
import { v4 as uuid } from 'uuid';
import type { Context } from 'koa';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../events/audit.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { User } from './entities.ts';
import { makeLink } from './mail-token.ts';
import { takeMailTurn } from './mail-turn.ts';
import { hashPassword } from './password.ts';
import { findNewPasswordFaults, registration, type Registration } from './people-schemas.ts';
import { message } from './people-view.ts';

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
