// balcao rail: rail accounts, which are contracts with acquirers. The operator's accounts serve merchants without one.
import type { Command } from 'commander';
import { em, type Db } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Problem } from '../http/problem.ts';
import { addRail, changeRail, removeRail, testRail } from '../rails/accounts.ts';
import { RAIL_STATUSES, RailAccount } from '../rails/entities.ts';
import { ACCOUNT_CONNECTORS, railChange, railCreation, readRail, viewRail } from '../rails/schemas.ts';
import { findMerchantOf, operate, YES, type CommandContext } from './operate.ts';
import { CommandError, readId, UsageError, type Output, type Shell } from './shell.ts';

const NODES = 'Running nodes apply the change within 5 seconds.';

export const commands = { rail: defineRail };

function defineRail(rail: Command, shell: Shell): void {
  const connectors = ACCOUNT_CONNECTORS.map(({ name, kinds }) => `${name} (${kinds.join(', ')})`).join(', ');
  rail
    .command('list')
    .description('list every account, with the address where its provider notifies the gateway (--json)')
    .action(operate(shell, showAccounts));
  const add = rail
    .command('add')
    .description('add a contract, which charges new payments of its kind')
    .argument('<connector>', `one of ${connectors}`)
    .argument('<kind>', 'a kind of this connector')
    .option(
      '--merchant <id>',
      'the owner; without it the account is the operator’s, for merchants without their own',
      readId,
    )
    .option('--environment <test|live>', 'test in a sandbox, live in production');
  const set = rail
    .command('set')
    .description('change settings of an account; connector, kind and owner stay')
    .argument('<id>', 'the account', readId)
    .option(`--status <${RAIL_STATUSES.join('|')}>`, 'draining: no new orders, open ones are finished');
  // Secrets are never command-line arguments, because shell history and process lists show arguments.
  for (const command of [add, set])
    command
      .option('--label <text>', 'name for people, shown in refusals, lists and the history')
      .option('--priority <number>', '0 to 1000; the lowest is used first')
      .option('--settings <json>', 'all settings as JSON, described in docs/rails')
      .option('--secrets-file <path>', 'all secrets as JSON; - reads standard input')
      .addHelpText('after', `\n${NODES}`);
  add.action(operate(shell, addAccount));
  set.action(operate(shell, setAccount));
  rail
    .command('test')
    .description('test the credentials; charges, registers and sends nothing')
    .argument('<id>', 'the account', readId)
    .action(operate(shell, testAccount));
  rail
    .command('remove')
    .description('remove an account without open payments; late money is still recorded')
    .argument('<id>', 'the account', readId)
    .addOption(YES)
    .addHelpText('after', `\n${NODES}`)
    .action(operate(shell, removeAccount));
}

async function showAccounts({ core }: CommandContext): Promise<Output> {
  const orderBy = { merchantId: 'asc', kind: 'asc', priority: 'asc', createdAt: 'asc' } as const;
  const found = await em(core).find(RailAccount, { removedAt: null }, { orderBy });
  const columns = ['id', 'merchantId', 'kind', 'connector', 'label', 'environment', 'priority', 'status', 'verifiedAt'];
  return { json: found.map((account) => viewOwned(core, account)), columns };
}

type Contract = { label?: string; priority?: string; status?: string; settings?: string; secretsFile?: string };
type Addition = Contract & { merchant?: string; environment?: string };

async function addAccount(
  context: CommandContext,
  connector: string,
  kind: string,
  options: Addition,
): Promise<Output> {
  const { core, actor } = context;
  const owner = options.merchant === undefined ? null : (await findMerchantOf(core, options.merchant)).id;
  const environment = options.environment ?? (core.config.isSandbox ? 'test' : 'live');
  const fields = { priority: 10, ...(await readFields(context, options)) };
  const request = await readRail(core, railCreation, { connector, kind, environment, ...fields });
  const added = await inTransaction(core, (db) => addRail(core, db, { owner, actor }, request));
  return { json: viewOwned(core, added) };
}

async function setAccount(context: CommandContext, id: string, options: Contract): Promise<Output> {
  const { core, actor } = context;
  const set = await readFields(context, options);
  if (Object.keys(set).length === 0) throw new UsageError('Name a setting. --help lists them.');
  const { merchantId, ...kept } = await findAccount(core, id);
  const { connector, kind, label, environment, priority, settings } = kept;
  const request = await readRail(core, railChange, { connector, kind, label, environment, priority, settings, ...set });
  const named = { owner: merchantId ?? null, id, actor };
  return { json: viewOwned(core, await inTransaction(core, (db) => changeRail(core, db, named, request))) };
}

async function testAccount({ core }: CommandContext, id: string): Promise<Output> {
  const { merchantId, label } = await findAccount(core, id);
  const probe = await testRail(core, { owner: merchantId ?? null, id });
  if (probe.result !== 'ok') throw new CommandError(probe.detail);
  return { json: { id, label, result: probe.result } };
}

async function removeAccount({ core, actor, confirm }: CommandContext, id: string): Promise<Output> {
  const { merchantId, label, connector, kind } = await findAccount(core, id);
  await confirm(`${label} (${connector}, ${kind}) is removed, with its secrets.`, label);
  const named = { owner: merchantId ?? null, id, actor };
  await inTransaction(core, (db) => removeRail(core, db, named)).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'rail_account_in_use') throw error;
    const open = String(error.options.extra?.['open']);
    throw new CommandError(`${open} payments of ${label} are still open. Set --status draining, and remove it later.`);
  });
  return { json: { id, label, removed: true } };
}

/** Returns the rail account with this id. @throws CommandError for an unknown id */
async function findAccount(db: Db, id: string): Promise<RailAccount> {
  const found = await em(db).findOne(RailAccount, { id, removedAt: null });
  if (!found) throw new CommandError(`There is no rail account ${id}. The command rail list shows them.`);
  return found;
}

/** Converts command options to a request of the API, whose schemas validate it. @throws UsageError */
async function readFields({ readInput }: CommandContext, options: Contract): Promise<Record<string, unknown>> {
  const { label, status, priority, settings, secretsFile } = options;
  return {
    ...(label !== undefined && { label }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority: /^-?\d+$/.test(priority) ? Number(priority) : priority }),
    ...(settings !== undefined && { settings: readJson(settings, '--settings is not JSON.') }),
    ...(secretsFile !== undefined && {
      secrets: readJson((await readInput(secretsFile)).toString('utf8'), '--secrets-file is not JSON.'),
    }),
  };
}

/** Parses JSON with an error text of our own: JavaScript's may repeat a secret. @throws UsageError */
function readJson(text: string, complaint: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(complaint);
  }
}

/** Returns a rail account with its owner. An account without a merchant belongs to the operator. */
function viewOwned(core: Parameters<typeof viewRail>[0], account: RailAccount) {
  return { merchantId: account.merchantId ?? null, ...viewRail(core, account) };
}
