// balcao merchant: the merchants of this gateway, and what the operator assigns to them.
import { normalizeEmail } from '../../shared/email.ts';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import { roleOf } from '../../shared/roles.ts';
import { SCOPES } from '../../shared/scopes.ts';
import { grantAccess } from '../access/members.ts';
import { em, prepared, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { changesOf, recordAudit, type Actor } from '../audit/record.ts';
import { createMerchant } from '../merchants/routes.ts';
import { Merchant } from '../merchants/entities.ts';
import { creationRequest, viewMerchant } from '../merchants/schemas.ts';
import type { Desk, Group } from './subcommand.ts';
import {
  CommandError,
  drawFields,
  drawTable,
  findMerchantOf,
  lockMerchantOf,
  needText,
  readGpoIds,
  textOf,
  UsageError,
  type Call,
  type Option,
  type Output,
} from './command.ts';

export type Assigned = Partial<Pick<Merchant, 'name' | 'entity' | 'gpoMerchantIds' | 'gpoPosIds'>>;

/** Changes a locked merchant, in the transaction `db`, and answers it as it is then; running nodes read it within 5 s. */
export async function changeMerchant(
  db: Db,
  merchant: Merchant,
  set: Assigned,
  { actor, at }: { actor: Actor; at: Date },
): Promise<Merchant> {
  const changes = changesOf(merchant, set);
  if (Object.keys(changes).length === 0) return merchant;
  await changeAssigned.run(db, { id: merchant.id, set });
  await recordAudit(db, {
    merchantId: merchant.id,
    actor,
    action: 'merchant.changed',
    target: merchant.id,
    changes,
    at,
  });
  return { ...merchant, ...set };
}

const changeAssigned = prepared((tables, { id, set }: { id: string; set: Assigned }) =>
  tables.updateTable('merchants').set(set).where('id', '=', id),
);

export const SHARED = {
  shared: { type: 'boolean', about: 'a point of sale although another merchant has it too' },
} as const satisfies Record<string, Option>;

type Wanted = { posIds: string[]; merchantId: string; call: Call };

/** Whoever has a point of sale opens and closes it: two shops with one are mostly a slip. @throws CommandError */
export async function requireFree(db: Db, { posIds, merchantId, call }: Wanted): Promise<void> {
  if (call.values['shared'] === true) return;
  const other = await findOther.first(db, { posIds, merchantId });
  if (!other) return;
  const posId = posIds.find((id) => other.gpoPosIds.includes(id));
  throw new CommandError(`${posId} is ${other.name}’s (${other.id}); --shared if both are to have it.`);
}

const findOther = prepared((tables, { posIds, merchantId }: { posIds: string[]; merchantId: string }) =>
  tables
    .selectFrom('merchants')
    .select(['id', 'name', 'gpoPosIds'])
    .where('gpoPosIds', '&&', posIds)
    .where('id', '<>', merchantId)
    .limit(1),
);

const NAME = { type: 'string', value: 'text', about: 'as payers see it' } as const;

export const merchant: Group = {
  list: { about: 'every merchant', takes: [], run: showMerchants },
  show: { about: 'one merchant with its settings', takes: ['merchantId'], run: showMerchant },
  create: {
    about: 'a new merchant with its first client, whose secret is told once',
    takes: [],
    options: {
      name: NAME,
      language: { type: 'string', value: LANGUAGES.join('|'), default: 'pt', about: 'of its pages and mail' },
      'owner-email': { type: 'string', value: 'address', about: 'is invited by mail, and owns it' },
    },
    writesLinks: true,
    run: makeMerchant,
  },
  set: {
    about: 'what only the operator sets: GPO ids and the entity',
    takes: ['merchantId'],
    options: {
      name: NAME,
      'gpo-merchant-ids': { type: 'string', value: 'a,b', about: 'all of them; the first is used when none is named' },
      'gpo-pos-ids': { type: 'string', value: 'a,b', about: 'all of its terminals, likewise' },
      entity: { type: 'string', value: '00999|none', about: 'that its payment references are paid to' },
      ...SHARED,
    },
    asks: 'sometimes',
    notes: 'It asks before it takes away an id or an entity in use. Running nodes know of it within 5 seconds.',
    run: setMerchant,
  },
};

async function showMerchants({ core }: Desk): Promise<Output> {
  const merchants = await em(core).find(Merchant, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
  const rows = merchants.map(({ id, name, entity, gpoPosIds, createdAt }) => [id, name, entity, gpoPosIds, createdAt]);
  const heads = ['merchantId', 'name', 'entity', 'terminals', 'created'];
  return { text: drawTable(heads, rows, 'There are none.'), json: merchants.map(viewShort) };
}

async function showMerchant({ core, given }: Desk): Promise<Output> {
  const shown = viewShort(await findMerchantOf(core, given[0]));
  return { text: drawFields(shown), json: shown };
}

/** Without its picture, which no terminal shows. */
function viewShort(merchant: Merchant) {
  const { brandLogo, ...settings } = viewMerchant(merchant);
  return { ...settings, hasLogo: brandLogo !== null };
}

async function makeMerchant({ core, actor, call }: Desk): Promise<Output> {
  const [name, language, ownerEmail] = [readName(needText(call, 'name')), readLanguage(call), readOwner(call)];
  const { merchant, client, owner } = await inTransaction(core, async (db) => {
    const made = await createMerchant(core, db, { name, language, ownerId: null, actor });
    if (!ownerEmail) return { ...made, owner: null };
    const by = { actor, scopes: new Set(SCOPES) };
    const asked = { merchant: made.merchant, email: ownerEmail, role: roleOf('Owner'), by };
    const { userId, status } = await grantAccess(core, db, asked);
    return { ...made, owner: { userId, email: ownerEmail, status } };
  });
  const { clientId, clientSecret } = client;
  const told = { merchantId: merchant.id, name, clientId, clientSecret };
  const text = `${drawFields({ ...told, owner: owner && `${owner.email}, ${owner.status}` })}\n\nThe secret is told this once.`;
  return { text, json: { ...told, owner } };
}

async function setMerchant({ core, actor, call, given, confirm }: Desk): Promise<Output> {
  const set = readSettings(call);
  const before = await findMerchantOf(core, given[0]);
  const posIds = (set.gpoPosIds ?? []).filter((id) => !before.gpoPosIds.includes(id));
  await requireFree(core, { posIds, merchantId: before.id, call });
  const taken = findTaken(before, set);
  if (taken.length > 0) await confirm(`${before.name} loses ${taken.join(', ')}.`, before.name);
  const merchant = await inTransaction(core, async (db) => {
    const locked = await lockMerchantOf(db, given[0]);
    return changeMerchant(db, locked, set, { actor, at: core.clock.now() });
  });
  const { id, name, entity, gpoMerchantIds, gpoPosIds } = viewMerchant(merchant);
  const shown = { id, name, entity, gpoMerchantIds, gpoPosIds };
  return { text: drawFields(shown), json: shown };
}

/** @throws UsageError */
function readSettings(call: Call): Assigned {
  const [name, entity] = [textOf(call, 'name'), textOf(call, 'entity')];
  const [merchantIds, posIds] = [textOf(call, 'gpo-merchant-ids'), textOf(call, 'gpo-pos-ids')];
  if (entity !== undefined && !/^(\d{5}|none)$/.test(entity))
    throw new UsageError('--entity must be 5 digits, or none');
  const set = {
    ...(name !== undefined && { name: readName(name) }),
    ...(entity !== undefined && { entity: entity === 'none' ? null : entity }),
    ...(merchantIds !== undefined && { gpoMerchantIds: readGpoIds(merchantIds, '--gpo-merchant-ids') }),
    ...(posIds !== undefined && { gpoPosIds: readGpoIds(posIds, '--gpo-pos-ids') }),
  };
  if (Object.keys(set).length === 0) throw new UsageError('Name what to set: --help lists it');
  return set;
}

/** What payments use by now, and could not any more. */
function findTaken(before: Merchant, { entity, gpoMerchantIds, gpoPosIds }: Assigned): string[] {
  const gone = (had: string[], has: string[] | undefined) => (has ? had.filter((id) => !has.includes(id)) : []);
  return [
    ...(before.entity && entity !== undefined && entity !== before.entity ? [`entity ${before.entity}`] : []),
    ...gone(before.gpoMerchantIds, gpoMerchantIds).map((id) => `GPO merchant id ${id}`),
    ...gone(before.gpoPosIds, gpoPosIds).map((id) => `terminal ${id}`),
  ];
}

/** @throws UsageError */
function readName(text: string): string {
  const { data, success } = creationRequest.shape.name.safeParse(text);
  if (success) return data;
  throw new UsageError('--name must be 1 to 100 characters in one line');
}

/** @throws UsageError */
function readLanguage(call: Call): Language {
  const text = textOf(call, 'language');
  const language = LANGUAGES.find((known) => known === text);
  if (!language) throw new UsageError(`--language must be one of ${LANGUAGES.join(', ')}`);
  return language;
}

/** @throws UsageError */
function readOwner(call: Call): string | null {
  const text = textOf(call, 'owner-email');
  if (text === undefined) return null;
  const email = normalizeEmail(text);
  if (!email) throw new UsageError(`--owner-email: ${text} is no e-mail address`);
  return email;
}
