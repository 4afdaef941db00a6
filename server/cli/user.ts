// balcao user: people's access to a merchant, and help for people who cannot sign in.
import type { Command } from 'commander';
import { ROLE_NAMES, ROLES, type Role } from '../../shared/roles.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { grantAccess, revokeAccess } from '../access/members.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { writeMail } from '../mail/write.ts';
import { Client } from '../oauth/entities.ts';
import { User } from '../people/entities.ts';
import { clearLocks } from '../people/lockout.ts';
import { endSessions } from '../people/sessions.ts';
import { findMerchantOf, operate, YES, type CommandContext } from './operate.ts';
import { CommandError, createArgumentParser, readEmail, readId, type Output, type Shell } from './shell.ts';

const findRole = (text: string) => ROLES.find(({ name }) => name.toLowerCase() === text.toLowerCase()) ?? null;
const readRole = createArgumentParser(findRole, `one of ${ROLE_NAMES.join(', ')}`);

export const commands = { user: defineUser };

function defineUser(user: Command, shell: Shell): void {
  user
    .command('list')
    .description('list the people and API clients that may act for a merchant')
    .argument('<merchantId>', 'the merchant', readId)
    .action(operate(shell, showAccess));
  user
    .command('grant')
    .description('give a person access or another role, and notify them by mail')
    .argument('<merchantId>', 'the merchant', readId)
    .argument('<email>', 'the person', readEmail)
    .argument('<role>', `one of ${ROLE_NAMES.join(', ')}`, readRole)
    .addHelpText('after', `\n${ROLES.map(({ name, about }) => `${name.padEnd(14)}${about}`).join('\n')}`)
    .action(operate(shell, grant));
  user
    .command('revoke')
    .description('end a person’s access to a merchant')
    .argument('<merchantId>', 'the merchant', readId)
    .argument('<email>', 'the person', readEmail)
    .addOption(YES)
    .action(operate(shell, revoke));
  user
    .command('unlock')
    .description('remove the lock after too many wrong passwords')
    .argument('<email>', 'the person', readEmail)
    .action(operate(shell, unlock));
  user
    .command('reset-mfa')
    .description('switch the second factor off for a person who lost it; check their identity first')
    .argument('<email>', 'the person', readEmail)
    .addOption(YES)
    .action(operate(shell, resetFactor));
}

async function showAccess({ core }: CommandContext, id: string): Promise<Output> {
  const { id: merchantId } = await findMerchantOf(core, id);
  const people = (await listPeople.all(core, { merchantId })).map(({ userId, email, role, createdAt, acceptedAt }) => {
    return { kind: 'person', id: userId, name: email, may: role, since: createdAt, acceptedAt, revokedAt: null };
  });
  const found = await em(core).find(Client, { merchantId }, { orderBy: { createdAt: 'asc' } });
  const clients = found.map(({ id, name, scopes, createdAt, revokedAt = null }) => {
    return { kind: 'client', id, name, may: scopes, since: createdAt, acceptedAt: createdAt, revokedAt };
  });
  return { json: [...people, ...clients], columns: ['kind', 'id', 'name', 'since', 'acceptedAt', 'revokedAt', 'may'] };
}

const listPeople = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('memberships')
    .leftJoin('users', 'users.id', 'memberships.userId')
    .select(['memberships.userId', 'role', 'memberships.createdAt', 'acceptedAt', 'users.email'])
    .where('memberships.merchantId', '=', merchantId)
    .orderBy('memberships.createdAt'),
);

async function grant({ core, actor }: CommandContext, id: string, email: string, role: Role): Promise<Output> {
  const merchant = await findMerchantOf(core, id);
  const by = { actor, scopes: new Set(SCOPES) };
  const granted = await inTransaction(core, (db) => grantAccess(core, db, { merchant, email, role, by }));
  return { json: { merchantId: merchant.id, email, ...granted } };
}

async function revoke({ core, actor, confirm }: CommandContext, id: string, email: string): Promise<Output> {
  const { id: merchantId, name } = await findMerchantOf(core, id);
  const { id: userId } = await findPerson(core, email);
  await confirm(`${email} loses the access to ${name}.`, email);
  const by = { actor, scopes: new Set(SCOPES) };
  const clients = await inTransaction(core, (db) => revokeAccess(core, db, { merchantId, userId, by }));
  // The result lists the API clients whose secrets the person still knows.
  return { json: { merchantId, email, userId, revoked: true, clients } };
}

async function unlock({ core, actor }: CommandContext, email: string): Promise<Output> {
  const { id: userId } = await findPerson(core, email);
  await inTransaction(core, async (db) => {
    await clearLocks(core, db, email);
    const about = { merchantId: null, target: userId, at: core.clock.now() };
    await recordAudit(db, { ...about, actor, action: 'user.unlocked' });
  });
  return { json: { email, userId, unlocked: true } };
}

/** Turns off a person's two-step sign-in, ends every session, and mails the person. */
async function resetFactor({ core, actor, confirm }: CommandContext, email: string): Promise<Output> {
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
  return { json: { email, userId, mfaEnabled: false } };
}

/** Returns the person with this e-mail address. @throws CommandError for an unknown address */
async function findPerson(db: Db, email: string): Promise<User> {
  const found = await em(db).findOne(User, { email });
  if (!found) throw new CommandError(`No person has the address ${email}.`);
  return found;
}
