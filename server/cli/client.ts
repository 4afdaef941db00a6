// balcao client: a merchant's API clients, when the merchant cannot see to them alone.
import { isScope, SCOPES, type Scope } from '../../shared/scopes.ts';
import { createClient, revokeClient, rotateClient, setScopes } from '../oauth/clients.ts';
import { Client } from '../oauth/entities.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import type { Desk, Group } from './subcommand.ts';
import {
  CommandError,
  drawFields,
  drawTable,
  findMerchantOf,
  needText,
  readCount,
  textOf,
  UsageError,
  type Call,
  type Output,
} from './command.ts';

const MOST_OVERLAP_HOURS = 168;
/** The limit of the API for names of clients. */
const MOST_LETTERS = 64;

/** An older client lacks the scopes of newer releases, and a client can only grant its own scopes. */
const SCOPE_OPTION = {
  scopes: { type: 'string', value: 'scopes', about: 'separated by commas, or all' },
} as const;

export const client: Group = {
  create: {
    about: 'another client of a merchant; its secret is shown once',
    takes: ['merchantId'],
    options: { name: { type: 'string', value: 'name', about: 'what people call it' }, ...SCOPE_OPTION },
    notes: `Scopes: ${SCOPES.join(', ')}.`,
    run: create,
  },
  set: {
    about: 'other scopes, in place of those it has; its tokens have them within 30 seconds',
    takes: ['clientId'],
    options: SCOPE_OPTION,
    notes: `Scopes: ${SCOPES.join(', ')}.`,
    run: set,
  },
  list: { about: 'a merchant’s clients, revoked ones too', takes: ['merchantId'], run: showClients },
  rotate: {
    about: 'a new secret, told once; the old one is accepted for the overlap',
    takes: ['clientId'],
    options: {
      'overlap-hours': {
        type: 'string',
        value: 'hours',
        default: '24',
        about: `0 to ${MOST_OVERLAP_HOURS}; 0 for a leaked secret`,
      },
    },
    asks: 'always',
    run: giveSecret,
  },
  revoke: {
    about: 'no tokens any more; those it has die within 30 seconds',
    takes: ['clientId'],
    asks: 'always',
    run: revoke,
  },
};

async function showClients({ core, given }: Desk): Promise<Output> {
  const { id: merchantId } = await findMerchantOf(core, given[0]);
  const found = await em(core).find(Client, { merchantId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  const clients = found.map(viewClient);
  const rows = clients.map(({ clientId, name, scopes, createdAt, previousUntil, revokedAt }) => [
    clientId,
    name,
    scopes.filter(isScope).length === SCOPES.length ? 'all' : scopes,
    createdAt,
    previousUntil,
    revokedAt,
  ]);
  const heads = ['clientId', 'name', 'scopes', 'created', 'old secret until', 'revoked'];
  return { text: drawTable(heads, rows, 'There are none.'), json: clients };
}

async function create({ core, actor, call, given }: Desk): Promise<Output> {
  const [name, scopes] = [needText(call, 'name'), readScopes(call)];
  if (name.length > MOST_LETTERS) throw new UsageError(`--name must have at most ${MOST_LETTERS} characters`);
  const { id: merchantId } = await findMerchantOf(core, given[0]);
  const made = await inTransaction(core, (db) => createClient(core, db, { merchantId, name, scopes, actor }));
  return { text: `${drawFields({ ...made })}\n\nThe secret is told this once.`, json: { merchantId, ...made } };
}

async function set({ core, actor, call, given }: Desk): Promise<Output> {
  const scopes = readScopes(call);
  const { id: clientId, merchantId, name } = await findClientOf(core, given[0]);
  await inTransaction(core, (db) => setScopes(core, db, { merchantId, clientId }, { scopes, actor }));
  return { text: `${name} (${clientId}) may: ${scopes.join(', ')}.`, json: { merchantId, clientId, name, scopes } };
}

/** @throws UsageError */
function readScopes(call: Call): Scope[] {
  const text = needText(call, 'scopes');
  if (text === 'all') return [...SCOPES];
  const names = [...new Set(text.split(/[\s,]+/).filter(Boolean))];
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0 || names.length === 0)
    throw new UsageError(`--scopes: there is no scope ${unknown.join(', ')}; there are ${SCOPES.join(', ')}`);
  return SCOPES.filter((scope) => names.includes(scope));
}

async function giveSecret({ core, actor, call, given, confirm }: Desk): Promise<Output> {
  const overlapHours = readCount(textOf(call, 'overlap-hours'), '--overlap-hours', { most: MOST_OVERLAP_HOURS });
  const { id: clientId, merchantId, name } = await findClientOf(core, given[0]);
  await confirm(`${name} (${clientId}) gets a new secret; the old one ends in ${overlapHours} hours.`, clientId);
  const by = { actor, scopes: new Set(SCOPES) };
  const told = await inTransaction(core, (db) =>
    rotateClient(core, db, { merchantId, clientId }, { overlapHours, by }),
  );
  const text = `${drawFields({ ...told })}\n\nThe secret is told this once.`;
  return { text, json: { merchantId, ...told } };
}

async function revoke({ core, actor, given, confirm }: Desk): Promise<Output> {
  const { id: clientId, merchantId, name } = await findClientOf(core, given[0]);
  await confirm(`${name} (${clientId}) is locked out for good.`, clientId);
  const by = { actor, scopes: new Set(SCOPES) };
  await inTransaction(core, (db) => revokeClient(core, db, { merchantId, clientId }, by));
  return { text: `${name} (${clientId}) is revoked.`, json: { merchantId, clientId, revoked: true } };
}

/** @throws CommandError */
async function findClientOf(db: Db, id: string | undefined): Promise<Client> {
  const found = id === undefined ? null : await em(db).findOne(Client, { id });
  if (!found) throw new CommandError(`There is no client ${id}: client list shows a merchant’s.`);
  if (found.revokedAt) throw new CommandError(`${id} was revoked at ${found.revokedAt.toISOString()}.`);
  return found;
}

function viewClient({ id: clientId, name, scopes, createdAt, rotatedAt, previousUntil, revokedAt }: Client) {
  return { clientId, name, scopes, createdAt, rotatedAt, previousUntil, revokedAt };
}
