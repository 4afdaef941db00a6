// Registration of people, and confirmation of their e-mail addresses.
import { LockMode } from '@mikro-orm/postgresql';
import type { Context } from 'koa';
import { v4 as uuid } from 'uuid';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { em, isAny, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeMail } from '../mail/write.ts';
import { endLinks, findLinkOwner, makeLink, takeLink, countMailRequest, runInBackground } from './email-link.ts';
import { MailToken, User, type MailTokenPurpose } from './entities.ts';
import { findPasswordFaults, hashPassword } from './password.ts';
import type { Registrant } from './registering-browser.ts';
import {
  confirmation,
  emailRequest,
  findNewPasswordFaults,
  message,
  registration,
  type Confirmation,
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
      'Mails a link to the address. The person can sign in after following it. ' +
      'The answer is the same if the address already has an account. That account does not change, ' +
      'and its owner gets a mail. ' +
      'A registration that waits for confirmation does not change either: ' +
      'the second registrant gets a link that asks for a password.',
    access: { kind: 'public' },
    bucket: 'public',
    mails: true,
    body: registration,
    checkBody: findNewPasswordFaults,
    example: {
      email: 'ana@loja.example',
      password: 'mulemba kitanda roxo 57',
      firstName: 'Ana',
      lastName: 'Domingos',
      phoneNumber: '923456789',
    },
    answers: { 201: { description: 'A mail explains the next step', schema: message } },
    async run({ body, address, ctx }) {
      await registerPerson(core, { ...body, language: body.language ?? readLanguage(ctx) }, address);
      return { status: 201, body: { message: 'A mail was sent to this address. Follow the link in it.' } };
    },
  });
}

/**
 * Sends one mail, with the same work for new and existing accounts, so that timing does not distinguish them.
 * Returns the registrant as the caller typed it, which differs from the stored one after an earlier registration.
 * Returns null if the address has got too many mails.
 */
export async function registerPerson(
  core: Core,
  person: NewPerson['person'],
  address: string,
): Promise<Registrant | null> {
  const passwordHash = await hashPassword(person.password, core.passwordCost);
  const id = await inTransaction(core, (db) => writeRegistration(core, db, { person, passwordHash, address }));
  return id === null ? null : { id, passwordHash };
}

type NewPerson = { person: Registration & { language: Language }; passwordHash: string; address: string };

/** Writes one registration mail, and runs the same statements for new and existing accounts. Returns the user's id. */
async function writeRegistration(core: Core, db: Db, registrant: NewPerson): Promise<string | null> {
  const { email: to, firstName, language } = registrant.person;
  const { address } = registrant;
  if (!(await countMailRequest(core, db, to, 'register'))) return null;
  const { user, isFirst } = await writeUnconfirmed(db, registrant, core.clock.now());
  // A confirmed account gets a link without effect too, so that timing does not show that the account exists.
  const link = await makeLink(core, db, { id: user.id, language }, isFirst ? 'verify' : 'claim');
  if (!user.verifiedAt) {
    await writeMail(core, db, { to, language, template: 'verify', values: { firstName, link } });
    await auditRegistration(core, db, { action: 'account.registered', target: user.id, address });
    return user.id;
  }
  const values = { firstName: user.firstName, link: `${core.publicUrl}/account/recover?lang=${user.language}` };
  await writeMail(core, db, { to, language: user.language, template: 'registered', values });
  await auditRegistration(core, db, { action: 'account.registration_refused', target: user.id, address });
  return user.id;
}

/**
 * Returns the user of this e-mail address, and whether this registration is the stored one.
 * An unconfirmed registration is never replaced, since the second registrant may be another person.
 * With a replacement, the first registrant's link could confirm the second registrant's password.
 */
async function writeUnconfirmed(db: Db, { person, passwordHash }: NewPerson, at: Date) {
  const { email, firstName, lastName, phoneNumber = null, language } = person;
  const set = { passwordHash, firstName, lastName, phoneNumber, language, updatedAt: at };
  await insertPerson.run(db, { row: { id: uuid(), email, ...set, createdAt: at } });
  const user = await em(db).findOneOrFail(User, { email }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  // The fill runs after the lock, so that it sees a link that the lock's previous holder committed.
  const isFirst = (await fillPerson.run(db, { id: user.id, set, at })) === 1;
  return { user, isFirst };
}

type PersonSet = Pick<User, 'firstName' | 'lastName' | 'language' | 'updatedAt'> & {
  passwordHash: string;
  phoneNumber: string | null;
};

const insertPerson = prepared((tables, { row }: { row: PersonSet & Pick<User, 'id' | 'email' | 'createdAt'> }) =>
  tables
    .insertInto('users')
    .values(row)
    .onConflict((known) => known.column('email').doNothing()),
);

/** Stores a registration, also over an invited person or a registration whose links have all expired. */
const fillPerson = prepared((tables, { id, set, at }: { id: string; set: PersonSet; at: Date }) =>
  tables
    .updateTable('users')
    .set(set)
    .where('id', '=', id)
    .where('verifiedAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mail_tokens')
            .select('userId')
            .where('userId', '=', id)
            .where('purpose', ...isAny(CONFIRMING))
            .where('expiresAt', '>', at),
        ),
      ),
    ),
);

type Entry = { action: string; target: string; address: string };

/** The audit names the system as the actor, because the caller has not proved to be this person. */
function auditRegistration(core: Core, db: Db, { action, target, address }: Entry): Promise<void> {
  const actor = { kind: 'system', id: 'accounts', address } as const;
  return recordAudit(db, { merchantId: null, actor, action, target, at: core.clock.now() });
}

/** Returns the language that the browser or app prefers, else Portuguese. */
export function readLanguage(ctx: Context): Language {
  const preferred = ctx.acceptsLanguages(...LANGUAGES);
  return LANGUAGES.find((known) => known === preferred) ?? 'pt';
}

const about = { method: 'POST', tag: 'Accounts', access: { kind: 'public' }, bucket: 'public' } as const;

export function declareVerify(core: Core): Route {
  return route({
    ...about,
    path: '/api/auth/verify-email',
    operationId: 'verifyEmail',
    summary: 'Confirm an address by the mailed link',
    description:
      '`password` becomes the password to sign in with. Absent: the registered password applies. ' +
      'If the address was registered more than once, every link except the first requires `password`: ' +
      'the reader of the mail chooses it.',
    body: confirmation,
    example: { token: '9Xb2rKd0vQe7TzLmWc4uYp', password: 'sete-barcos-na-ilha' },
    refusals: {
      400: 'link_invalid: used, expired after 24 hours, or replaced by a newer one; or password missing or too easy',
    },
    answers: { 200: { description: 'Confirmed: the person can sign in', schema: message } },
    async run({ body, address }) {
      await verifyEmail(core, body, address);
      return { status: 200, body: { message: 'This address is confirmed. You can sign in now.' } };
    },
  });
}

/** Purposes of links that confirm an e-mail address. The first use of one ends all of them. */
const CONFIRMING: MailTokenPurpose[] = ['verify', 'claim'];

/**
 * Confirms an e-mail address and uses up its link. Returns the user's id.
 * @throws Problem link_invalid, validation_failed (`/password`)
 */
export async function verifyEmail(core: Core, { token, password }: Confirmation, address: string): Promise<string> {
  const set = await choosePassword(core, token, password);
  const at = core.clock.now();
  return inTransaction(core, async (db) => {
    const user = await takeLink(core, db, token, ...CONFIRMING);
    if (!user || user.verifiedAt) throw new Problem('link_invalid');
    await em(db).nativeUpdate(User, { id: user.id }, { ...set, verifiedAt: at, updatedAt: at });
    await endLinks(db, user.id, CONFIRMING);
    const actor = { kind: 'user', id: user.id, address } as const;
    await recordAudit(db, { merchantId: null, actor, action: 'account.verified', target: user.id, at });
    return user.id;
  });
}

/** Hashes the new password, which replaces the registered one. @throws Problem link_invalid, validation_failed */
async function choosePassword(core: Core, token: string, password: Confirmation['password']) {
  if (password == null) {
    if (!(await findLinkOwner(core, core, token, 'claim'))) return {};
    throw invalidFields([{ pointer: '/password', code: 'required' }]);
  }
  const owner = await findLinkOwner(core, core, token, ...CONFIRMING);
  if (!owner) throw new Problem('link_invalid');
  const faults = findPasswordFaults(password, [owner.email, owner.firstName, owner.lastName], '/password');
  if (faults.length > 0) throw invalidFields(faults);
  return { passwordHash: await hashPassword(password, core.passwordCost) };
}

export function declareResend(core: Core): Route {
  return route({
    ...about,
    path: '/api/auth/verify-email/resend',
    operationId: 'resendVerification',
    summary: 'Resend the confirmation link of a registration',
    description:
      'The older link stops working. An address without an open registration gets no mail, and the answer is the same.',
    mails: true,
    body: emailRequest,
    example: { email: 'ana@loja.example' },
    answers: { 200: { description: 'Sent, if there is something to confirm', schema: message } },
    run({ body }) {
      runInBackground(core, () => resendLink(core, body.email));
      return { status: 200, body: { message: 'If this address waits to be confirmed, a new link was sent to it.' } };
    },
  });
}

/** Mails another confirmation link, but nothing to an address without an unconfirmed registration. */
export async function resendLink(core: Core, email: string): Promise<void> {
  await inTransaction(core, async (db) => {
    if (!(await countMailRequest(core, db, email, 'register'))) return;
    const unproven = { email, verifiedAt: null, passwordHash: { $ne: null } };
    const user = await em(db).findOne(User, unproven, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user) return;
    const { language, firstName } = user;
    const isClaimed = (await em(db).count(MailToken, { userId: user.id, purpose: 'claim' })) > 0;
    const link = await makeLink(core, db, user, isClaimed ? 'claim' : 'verify');
    await writeMail(core, db, { to: email, language, template: 'verify', values: { firstName, link } });
  });
}
