// balcao user: people's access to a merchant, and help for those who lost everything.
import { normalizeEmail } from '../../shared/email.ts';
import { ROLE_NAMES, roleOf, ROLES, type Role } from '../../shared/roles.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { User } from '../people/entities.ts';
import { clearLocks } from '../people/lockout.ts';
import { grantAccess, revokeAccess } from '../access/members.ts';
import { endSessions } from '../people/sessions.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { writeMail } from '../mail/write.ts';
import type { Desk, Group } from './subcommand.ts';
import { CommandError, drawTable, findMerchantOf, UsageError, type Output } from './command.ts';

export const user: Group = {
  list: { about: 'the people who may see a merchant, invited ones too', takes: ['merchantId'], run: showPeople },
  grant: {
    about: 'give somebody access, or another role; they are told by mail',
    takes: ['merchantId', 'email', 'role'],
    notes: ROLES.map(({ name, about }) => `${name.padEnd(14)}${about}`).join('\n'),
    writesLinks: true,
    run: grant,
  },
  revoke: { about: 'take somebody’s access away', takes: ['merchantId', 'email'], asks: 'always', run: revoke },
  unlock: { about: 'let somebody try again who guessed their password too often', takes: ['email'], run: unlock },
  'reset-mfa': {
    about: 'switch the second factor off for somebody who lost it, after you made sure who they are',
    takes: ['email'],
    asks: 'always',
    run: resetFactor,
  },
};

async function showPeople({ core, given }: Desk): Promise<Output> {
  const { id: merchantId } = await findMerchantOf(core, given[0]);
  const now = core.clock.now();
  const people = (await listPeople.all(core, { merchantId })).map((person) => {
    const { userId, email, role, createdAt, acceptedAt, expiresAt } = person;
    const status = acceptedAt ? 'Active' : expiresAt && expiresAt <= now ? 'Lapsed' : 'Invited';
    return { userId, email, role, status, createdAt, expiresAt };
  });
  const rows = people.map(({ email, role, status, createdAt, userId }) => [email, role, status, createdAt, userId]);
  return { text: drawTable(['email', 'role', 'status', 'since', 'userId'], rows, 'There is nobody.'), json: people };
}

const listPeople = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('memberships')
    .leftJoin('users', 'users.id', 'memberships.userId')
    .selectAll('memberships')
    .select('users.email')
    .where('memberships.merchantId', '=', merchantId)
    .orderBy('memberships.createdAt')
    .orderBy('memberships.userId'),
);

async function grant({ core, actor, given }: Desk): Promise<Output> {
  const [, typed, named] = given;
  const [email, role] = [readEmail(typed), readRole(named)];
  const merchant = await findMerchantOf(core, given[0]);
  const by = { actor, scopes: new Set(SCOPES) };
  const granted = await inTransaction(core, (db) => grantAccess(core, db, { merchant, email, role, by }));
  const text = `${email} is ${granted.role} of ${merchant.name}: ${granted.status}.`;
  return { text, json: { merchantId: merchant.id, email, ...granted } };
}

async function revoke({ core, actor, given, confirm }: Desk): Promise<Output> {
  const email = readEmail(given[1]);
  const { id: merchantId, name } = await findMerchantOf(core, given[0]);
  const { id: userId } = await findPerson(core, email);
  await confirm(`${email} may not see ${name} any more.`, email);
  const by = { actor, scopes: new Set(SCOPES) };
  const clients = await inTransaction(core, (db) => revokeAccess(core, db, { merchantId, userId, by }));
  const names = clients.map((client) => `\n  ${client.name} (${client.clientId})`).join('');
  const left = names && `\nWhat they can still sign in with; client revoke ends it:${names}`;
  const json = { merchantId, email, userId, revoked: true, clients };
  return { text: `${email} has no access to ${name} any more.${left}`, json };
}

async function unlock({ core, actor, given }: Desk): Promise<Output> {
  const email = readEmail(given[0]);
  const { id: userId } = await findPerson(core, email);
  await inTransaction(core, async (db) => {
    await clearLocks(core, db, email);
    const about = { merchantId: null, target: userId, at: core.clock.now() };
    await recordAudit(db, { ...about, actor, action: 'user.unlocked' });
  });
  return { text: `${email} may try again.`, json: { email, userId, unlocked: true } };
}

/** Whoever reads their mail is told, and whoever was signed in must sign in again. */
async function resetFactor({ core, actor, given, confirm }: Desk): Promise<Output> {
  const email = readEmail(given[0]);
  const { id: userId, totpConfirmedAt, firstName, language } = await findPerson(core, email);
  if (!totpConfirmedAt) throw new CommandError(`${email} has no second factor.`);
  await confirm(`${email} will sign in by password alone.`, email);
  const at = core.clock.now();
  await inTransaction(core, async (db) => {
    const set = { totpSecret: null, totpConfirmedAt: null, totpStep: null, recoveryCodes: [], updatedAt: at };
    await em(db).nativeUpdate(User, { id: userId }, set);
    await endSessions(db, userId, at);
    await writeMail(core, db, { to: email, language, template: 'mfaDisabled', values: { firstName } });
    await recordAudit(db, { merchantId: null, actor, action: 'mfa.disabled', target: userId, at });
  });
  return { text: `${email} signs in by password alone now.`, json: { email, userId, mfaEnabled: false } };
}

/** @throws UsageError */
function readEmail(text: string | undefined): string {
  const email = normalizeEmail(text ?? '');
  if (!email) throw new UsageError(`${text} is no e-mail address`);
  return email;
}

/** @throws UsageError */
function readRole(text = ''): Role {
  const name = ROLE_NAMES.find((known) => known.toLowerCase() === text.toLowerCase());
  if (!name) throw new UsageError(`The role must be one of ${ROLE_NAMES.join(', ')}, not ${text}`);
  return roleOf(name);
}

/** @throws CommandError */
async function findPerson(db: Db, email: string): Promise<User> {
  const found = await em(db).findOne(User, { email });
  if (!found) throw new CommandError(`Nobody has the address ${email}.`);
  return found;
}
