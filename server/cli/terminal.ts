// balcao terminal: the points of sale at the GPO rail that a merchant may use.
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Terminal } from '../terminals/entities.ts';
import type { Desk, Group } from './subcommand.ts';
import { changeMerchant, requireFree, SHARED } from './merchant.ts';
import {
  CommandError,
  drawTable,
  findMerchantOf,
  lockMerchantOf,
  readGpoIds,
  UsageError,
  type Output,
} from './command.ts';

export const terminal: Group = {
  list: { about: 'a merchant’s terminals, and how they were last heard of', takes: ['merchantId'], run: showTerminals },
  add: {
    about: 'assign a point of sale: payments may name it, and it can be opened and closed',
    takes: ['merchantId', 'posId'],
    options: SHARED,
    notes: 'The first of a merchant’s is used by payments that name none. Running nodes know of it within 5 seconds.',
    run: addTerminal,
  },
  remove: {
    about: 'no new payments through it; those under way are followed to their end',
    takes: ['merchantId', 'posId'],
    asks: 'always',
    run: removeTerminal,
  },
};

async function showTerminals({ core, given }: Desk): Promise<Output> {
  const { id: merchantId, gpoPosIds } = await findMerchantOf(core, given[0]);
  const met = await em(core).find(Terminal, { merchantId, posId: { $in: gpoPosIds } });
  const known = new Map(met.map((row) => [row.posId, row]));
  const terminals = gpoPosIds.map((posId) => {
    const { status = null, period = null, changedAt = null } = known.get(posId) ?? {};
    return { posId, status, period, changedAt };
  });
  const rows = terminals.map(({ posId, status, period, changedAt }) => [posId, status ?? 'not met', period, changedAt]);
  return { text: drawTable(['posId', 'status', 'period', 'changed'], rows, 'There are none.'), json: terminals };
}

async function addTerminal({ core, actor, call, given }: Desk): Promise<Output> {
  const posId = readPosId(given[1]);
  const { id: merchantId } = await findMerchantOf(core, given[0]);
  await requireFree(core, { posIds: [posId], merchantId, call });
  const merchant = await inTransaction(core, async (db) => {
    const merchant = await lockMerchantOf(db, given[0]);
    if (merchant.gpoPosIds.includes(posId)) throw new CommandError(`${merchant.name} has ${posId} already.`);
    return changeMerchant(db, merchant, { gpoPosIds: [...merchant.gpoPosIds, posId] }, { actor, at: core.clock.now() });
  });
  return { text: `${merchant.name} has ${posId}.`, json: { merchantId, gpoPosIds: merchant.gpoPosIds } };
}

async function removeTerminal({ core, actor, given, confirm }: Desk): Promise<Output> {
  const posId = readPosId(given[1]);
  const { name } = await findMerchantOf(core, given[0]);
  await confirm(`${name} takes no payments through ${posId} any more.`, posId);
  const merchant = await inTransaction(core, async (db) => {
    const merchant = await lockMerchantOf(db, given[0]);
    if (!merchant.gpoPosIds.includes(posId)) throw new CommandError(`${name} has no terminal ${posId}.`);
    const gpoPosIds = merchant.gpoPosIds.filter((id) => id !== posId);
    return changeMerchant(db, merchant, { gpoPosIds }, { actor, at: core.clock.now() });
  });
  return { text: `${name} has ${posId} no more.`, json: { merchantId: merchant.id, gpoPosIds: merchant.gpoPosIds } };
}

/** @throws UsageError */
function readPosId(text = ''): string {
  const [id, ...others] = readGpoIds(text, 'posId');
  if (!id || others.length > 0) throw new UsageError('Name one posId');
  return id;
}
