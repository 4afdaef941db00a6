// balcao client: a merchant's API clients, when the merchant cannot see to them alone.
import { isScope, SCOPES } from '../../shared/scopes.ts';
import { revokeClient, rotateClient } from '../oauth/clients.ts';
import { Client } from '../oauth/entities.ts';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import type { Desk, Group } from './subcommand.ts';
import { CommandError, drawFields, drawTable, findMerchantOf, readCount, textOf, type Output } from './command.ts';

const MOST_OVERLAP_HOURS = 168;

export const client: Group = {
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
