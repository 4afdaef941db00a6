// balcao rail: contracts with acquirers, of merchants and of the operator, by whose the merchants without one are charged.
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem } from '../http/problem.ts';
import { addRail, changeRail, listRails, removeRail, setRailStatus, testRail } from '../rails/accounts.ts';
import { RAIL_STATUSES, RailAccount } from '../rails/entities.ts';
import { OFFERED, railChange, railCreation, readRail, viewRail } from '../rails/schemas.ts';
import type { Desk, Group } from './subcommand.ts';
import {
  CommandError,
  drawFields,
  drawTable,
  findMerchantOf,
  readId,
  textOf,
  UsageError,
  type Option,
  type Output,
} from './command.ts';

const LABEL = { type: 'string', value: 'text', about: 'for people: in refusals, lists and the history' } as const;
const PRIORITY = { type: 'string', value: 'number', about: '0 to 1000: the lowest is asked first' } as const;

/** Secrets are in no argument: those stand in the shell's history and in everybody's list of processes. */
const CONTRACT = {
  settings: { type: 'string', value: 'json', about: 'all of them, as docs/rails says of the connector' },
  'secrets-file': { type: 'string', value: 'path', about: 'all of them as JSON; - is standard input' },
} as const satisfies Record<string, Option>;

const NODES = 'Running nodes know of it within 5 seconds.';

export const rail: Group = {
  list: {
    about: 'a merchant’s accounts, by kind and priority; without one, your own',
    takes: ['merchantId?'],
    options: { all: { type: 'boolean', about: 'everybody’s' } },
    writesLinks: true,
    run: showAccounts,
  },
  show: {
    about: 'one account, what it can do, and where it is notified',
    takes: ['id'],
    writesLinks: true,
    run: showAccount,
  },
  add: {
    about: 'enter a contract; new payments of its kind are charged by it',
    takes: ['connector', 'kind'],
    options: {
      merchant: { type: 'string', value: 'merchantId', about: 'whose; absent: yours, for merchants without one' },
      label: LABEL,
      environment: { type: 'string', value: 'test|live', about: 'test in a sandbox, live in production' },
      priority: { ...PRIORITY, default: '10' },
      ...CONTRACT,
    },
    notes: `Connectors: ${OFFERED.map(({ name, kinds }) => `${name} (${kinds.join(', ')})`).join(', ')}. ${NODES}`,
    writesLinks: true,
    run: addAccount,
  },
  set: {
    about: 'change what is given; connector, kind and owner stay',
    takes: ['id'],
    options: {
      label: LABEL,
      priority: PRIORITY,
      status: { type: 'string', value: RAIL_STATUSES.join('|'), about: 'draining: nothing new is begun with it' },
      ...CONTRACT,
    },
    notes: `What it made before is followed with the new credentials. ${NODES}`,
    writesLinks: true,
    run: setAccount,
  },
  test: {
    about: 'try the credentials: nothing is charged, registered or sent',
    takes: ['id'],
    writesLinks: true,
    run: testAccount,
  },
  drain: {
    about: 'nothing new is begun with it; what was begun goes on',
    takes: ['id'],
    notes: NODES,
    writesLinks: true,
    run: drain,
  },
  remove: {
    about: 'take it away, once nothing of it is open; late money of it is still recorded',
    takes: ['id'],
    asks: 'always',
    notes: NODES,
    writesLinks: true,
    run: removeAccount,
  },
};

async function showAccounts({ core, call, given }: Desk): Promise<Output> {
  const isAll = call.values['all'] === true;
  if (isAll && given[0] !== undefined) throw new UsageError('--all are everybody’s: name no merchant with it.');
  const owner = given[0] === undefined ? null : (await findMerchantOf(core, given[0])).id;
  const found = isAll ? await findEverybodys(core) : await listRails(core, owner);
  const heads = ['id', 'merchant', 'kind', 'connector', 'label', 'environment', 'priority', 'status', 'verified'];
  const rows = found.map(({ id, merchantId, kind, connector, label, environment, priority, status, verifiedAt }) => {
    return [id, merchantId ?? 'yours', kind, connector, label, environment, priority, status, verifiedAt];
  });
  return { text: drawTable(heads, rows, 'There are none.'), json: found.map((account) => viewOwned(core, account)) };
}

function findEverybodys(db: Db): Promise<RailAccount[]> {
  const orderBy = { merchantId: 'asc', kind: 'asc', priority: 'asc', createdAt: 'asc' } as const;
  return em(db).find(RailAccount, { removedAt: null }, { orderBy });
}

async function showAccount({ core, given }: Desk): Promise<Output> {
  return tell(core, await findAccount(core, given[0]));
}

async function addAccount(desk: Desk): Promise<Output> {
  const { core, actor, call, given } = desk;
  const merchant = textOf(call, 'merchant');
  const owner = merchant === undefined ? null : (await findMerchantOf(core, merchant)).id;
  const environment = textOf(call, 'environment') ?? (core.config.isSandbox ? 'test' : 'live');
  const asked = { connector: given[0], kind: given[1], environment, ...(await readGiven(desk)) };
  const request = await readRail(core, railCreation, asked);
  return tell(core, await inTransaction(core, (db) => addRail(core, db, { owner, actor }, request)));
}

async function setAccount(desk: Desk): Promise<Output> {
  const { core, actor, given } = desk;
  const set = await readGiven(desk);
  if (Object.keys(set).length === 0) throw new UsageError('Name what to set: --help lists it');
  const { id, merchantId: owner, ...kept } = await findAccount(core, given[0]);
  const { connector, kind, label, environment, priority, settings } = kept;
  const asked = { connector, kind, label, environment, priority, settings, ...set };
  const request = await readRail(core, railChange, asked);
  return tell(core, await inTransaction(core, (db) => changeRail(core, db, { ...ownerOf(owner), id, actor }, request)));
}

async function testAccount({ core, given }: Desk): Promise<Output> {
  const { id, merchantId, label } = await findAccount(core, given[0]);
  const probe = await testRail(core, { ...ownerOf(merchantId), id });
  if (probe.result !== 'ok') throw new CommandError(probe.detail);
  return { text: `${label} takes the credentials.`, json: { id, result: probe.result } };
}

async function drain({ core, actor, given }: Desk): Promise<Output> {
  const { id, merchantId } = await findAccount(core, given[0]);
  const named = { ...ownerOf(merchantId), id, actor };
  return tell(core, await inTransaction(core, (db) => setRailStatus(core, db, named, 'draining')));
}

async function removeAccount({ core, actor, given, confirm }: Desk): Promise<Output> {
  const { id, merchantId, label, connector, kind } = await findAccount(core, given[0]);
  await confirm(`${label} (${connector}, ${kind}) is taken away, with its secrets.`, label);
  const named = { ...ownerOf(merchantId), id, actor };
  await inTransaction(core, (db) => removeRail(core, db, named)).catch((error: unknown) => {
    const isOpen = error instanceof Problem && error.code === 'rail_account_in_use';
    if (!isOpen) throw error;
    const open = String(error.options.extra?.['open']);
    throw new CommandError(`${open} of what ${label} made is still open: rail drain it, and remove it when that is 0.`);
  });
  return { text: `${label} is taken away.`, json: { id, removed: true } };
}

function ownerOf(merchantId: string | null | undefined): { owner: string | null } {
  return { owner: merchantId ?? null };
}

/** @throws UsageError, CommandError */
async function findAccount(db: Db, text: string | undefined): Promise<RailAccount> {
  const id = readId(text, 'id');
  const found = await em(db).findOne(RailAccount, { id, removedAt: null });
  if (!found) throw new CommandError(`There is no rail account ${id}: rail list --all shows them.`);
  return found;
}

/** What was said of an account, as the API takes it. @throws UsageError */
async function readGiven({ call, readText }: Desk): Promise<Record<string, unknown>> {
  const [label, status, settings] = [textOf(call, 'label'), textOf(call, 'status'), textOf(call, 'settings')];
  const [priority, path] = [textOf(call, 'priority'), textOf(call, 'secrets-file')];
  return {
    ...(label !== undefined && { label }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority: /^-?\d+$/.test(priority) ? Number(priority) : priority }),
    ...(settings !== undefined && { settings: readJson(settings, '--settings is not JSON') }),
    ...(path !== undefined && { secrets: readJson(await readText(path), '--secrets-file holds no JSON') }),
  };
}

/** JavaScript's own words would repeat a part of the text, which may be a secret. @throws UsageError */
function readJson(text: string, complaint: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(complaint);
  }
}

type Viewer = Parameters<typeof viewRail>[0];

function viewOwned(core: Viewer, account: RailAccount) {
  return { merchantId: account.merchantId ?? null, ...viewRail(core, account) };
}

function tell(core: Viewer, account: RailAccount): Output {
  const json = viewOwned(core, account);
  return { text: drawFields(flatten({ ...json, merchantId: json.merchantId ?? 'yours' })), json };
}

/** Each field on its line: `settings.sender`. */
function flatten(fields: object, prefix = ''): Record<string, unknown> {
  const lines = Object.entries(fields).map(([name, value]: [string, unknown]) => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
    return isGroup ? flatten(value, `${prefix}${name}.`) : { [prefix + name]: value };
  });
  return Object.assign({}, ...lines) as Record<string, unknown>;
}
