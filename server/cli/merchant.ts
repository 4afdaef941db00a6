// balcao merchant, balcao client: manages merchants and the ids that the operator assigns, and revokes API clients.
import { Option, type Command } from 'commander';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import { roleOf } from '../../shared/roles.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { grantAccess } from '../access/members.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { Merchant } from '../merchants/entities.ts';
import { lockMerchant } from '../merchants/find.ts';
import { createMerchant } from '../merchants/routes.ts';
import { creationRequest, viewMerchant } from '../merchants/schemas.ts';
import { revokeClient } from '../oauth/clients.ts';
import { Client } from '../oauth/entities.ts';
import { findMerchantOf, operate, YES, type CommandContext } from './operate.ts';
import {
  CommandError,
  createPatternParser,
  createArgumentParser,
  readEmail,
  readId,
  UsageError,
  type Output,
  type Shell,
} from './shell.ts';

const readName = createArgumentParser(
  (text) => creationRequest.shape.name.safeParse(text).data ?? null,
  '1 to 100 characters in one line',
);
const readEntity = createPatternParser(/^(\d{5}|none)$/, '5 digits, or none');
const readGpoIds = createArgumentParser((text) => {
  const ids = text.split(',').flatMap((id) => id.trim() || []);
  return ids.every((id) => /^[\w.:-]{1,64}$/.test(id)) ? [...new Set(ids)] : null;
}, 'ids separated by commas, each of up to 64 letters, digits and . : - _');

export const commands = { merchant: defineMerchant, client: defineClient };

function defineMerchant(merchant: Command, shell: Shell): void {
  merchant.command('list').description('list every merchant with its settings').action(operate(shell, showMerchants));
  merchant
    .command('create')
    .description('create a merchant with its first API client, whose secret is shown once')
    .requiredOption('--name <text>', 'the name that payers see', readName)
    .addOption(new Option('--language <code>', 'language of its pages and mail').choices(LANGUAGES).default('pt'))
    .option('--owner-email <address>', 'invite this person by mail as the Owner', readEmail)
    .action(operate(shell, makeMerchant));
  merchant
    .command('set')
    .description('set the values that only the operator assigns: GPO ids and the entity')
    .argument('<merchantId>', 'the merchant', readId)
    .option('--name <text>', 'the name that payers see', readName)
    .option('--gpo-merchant-ids <a,b>', 'all GPO merchant ids; payments without one use the first', readGpoIds)
    .option('--gpo-pos-ids <a,b>', 'all points of sale; payments without one use the first', readGpoIds)
    .option('--entity <digits>', 'the entity of its payment references, or none', readEntity)
    .option('--shared', 'assign a point of sale that another merchant has too')
    .addOption(YES)
    .addHelpText('after', '\nAsks before it removes an id or entity in use. Nodes apply the change within 5 seconds.')
    .action(operate(shell, setMerchant));
}

async function showMerchants({ core }: CommandContext): Promise<Output> {
  const merchants = await em(core).find(Merchant, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return { json: merchants.map(viewShort), columns: ['id', 'name', 'entity', 'gpoPosIds', 'createdAt'] };
}

/** Returns a merchant without its logo, which is too large for a terminal. */
function viewShort(merchant: Merchant) {
  const { brandLogo, ...settings } = viewMerchant(merchant);
  return { ...settings, hasLogo: brandLogo !== null };
}

type Creation = { name: string; language: Language; ownerEmail?: string };

async function makeMerchant(
  { core, actor }: CommandContext,
  { name, language, ownerEmail }: Creation,
): Promise<Output> {
  const { merchant, client, owner } = await inTransaction(core, async (db) => {
    const made = await createMerchant(core, db, { name, language, ownerId: null, actor });
    if (!ownerEmail) return { ...made, owner: null };
    const by = { actor, scopes: new Set(SCOPES) };
    const grant = { merchant: made.merchant, email: ownerEmail, role: roleOf('Owner'), by };
    const { userId, status } = await grantAccess(core, db, grant);
    return { ...made, owner: { userId, email: ownerEmail, status } };
  });
  const { clientId, clientSecret } = client;
  return { json: { merchantId: merchant.id, name, clientId, clientSecret, owner } };
}

type Change = { name?: string; entity?: string; gpoMerchantIds?: string[]; gpoPosIds?: string[]; shared?: boolean };
type Assigned = Partial<Pick<Merchant, 'name' | 'entity' | 'gpoMerchantIds' | 'gpoPosIds'>>;

async function setMerchant({ core, actor, confirm }: CommandContext, id: string, change: Change): Promise<Output> {
  const { name, entity, gpoMerchantIds, gpoPosIds, shared = false } = change;
  const set: Assigned = {
    ...(name !== undefined && { name }),
    ...(entity !== undefined && { entity: entity === 'none' ? null : entity }),
    ...(gpoMerchantIds && { gpoMerchantIds }),
    ...(gpoPosIds && { gpoPosIds }),
  };
  if (Object.keys(set).length === 0) throw new UsageError('Name a setting. --help lists them.');
  const before = await findMerchantOf(core, id);
  const added = (gpoPosIds ?? []).filter((posId) => !before.gpoPosIds.includes(posId));
  if (!shared) await requireUnassigned(core, added, id);
  const lost = listRemovedIds(before, set);
  if (lost.length > 0) await confirm(`${before.name} loses ${lost.join(', ')}.`, before.name);
  const merchant = await inTransaction(core, async (db) => {
    const locked = await lockMerchant.first(db, { id });
    if (!locked) throw new CommandError(`There is no merchant ${id}.`);
    return changeMerchant(db, locked, set, { actor, at: core.clock.now() });
  });
  return { json: viewShort(merchant) };
}

type By = { actor: Actor; at: Date };

async function changeMerchant(db: Db, merchant: Merchant, set: Assigned, { actor, at }: By): Promise<Merchant> {
  const { id } = merchant;
  const changes = changesOf(merchant, set);
  if (Object.keys(changes).length === 0) return merchant;
  await changeAssigned.run(db, { id, set });
  await recordAudit(db, { merchantId: id, actor, action: 'merchant.changed', target: id, changes, at });
  return { ...merchant, ...set };
}

const changeAssigned = prepared((tables, { id, set }: { id: string; set: Assigned }) =>
  tables.updateTable('merchants').set(set).where('id', '=', id),
);

/** Refuses another merchant's posIds: two merchants with one terminal are usually a mistake. @throws CommandError */
async function requireUnassigned(db: Db, posIds: string[], merchantId: string): Promise<void> {
  const other = await findOther.first(db, { posIds, merchantId });
  if (!other) return;
  const posId = posIds.find((id) => other.gpoPosIds.includes(id));
  throw new CommandError(`${posId} belongs to ${other.name} (${other.id}). --shared assigns it to both.`);
}

const findOther = prepared((tables, { posIds, merchantId }: { posIds: string[]; merchantId: string }) =>
  tables
    .selectFrom('merchants')
    .select(['id', 'name', 'gpoPosIds'])
    .where('gpoPosIds', '&&', posIds)
    .where('id', '<>', merchantId)
    .limit(1),
);

/** Lists ids that a change takes away from the merchant, so that payments can no longer use them. */
function listRemovedIds(before: Merchant, { entity, gpoMerchantIds, gpoPosIds }: Assigned): string[] {
  const gone = (had: string[], has: string[] | undefined) => (has ? had.filter((id) => !has.includes(id)) : []);
  return [
    ...(before.entity && entity !== undefined && entity !== before.entity ? [`entity ${before.entity}`] : []),
    ...gone(before.gpoMerchantIds, gpoMerchantIds).map((id) => `GPO merchant id ${id}`),
    ...gone(before.gpoPosIds, gpoPosIds).map((id) => `terminal ${id}`),
  ];
}

/** Defines `balcao client`. Its only command is `revoke`, since the console and the API create and rotate clients. */
function defineClient(client: Command, shell: Shell): void {
  client
    .command('revoke')
    .description('revoke an API client whose secret leaked; its tokens end within 30 seconds')
    .argument('<clientId>', 'the client')
    .addOption(YES)
    .action(operate(shell, revoke));
}

async function revoke({ core, actor, confirm }: CommandContext, clientId: string): Promise<Output> {
  const client = await em(core).findOne(Client, { id: clientId });
  if (!client) throw new CommandError(`There is no client ${clientId}.`);
  const { name, merchantId, revokedAt } = client;
  if (revokedAt) throw new CommandError(`${clientId} was revoked at ${revokedAt.toISOString()}.`);
  await confirm(`${name} (${clientId}) is revoked permanently.`, clientId);
  const by = { actor, scopes: new Set(SCOPES) };
  await inTransaction(core, (db) => revokeClient(core, db, { merchantId, clientId }, by));
  return { json: { merchantId, clientId, name, revoked: true } };
}
