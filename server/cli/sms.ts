// balcao sms: credits SMS units that a merchant bought from the operator.
import type { Command } from 'commander';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { creditUnits } from '../sms/ledger.ts';
import { findMerchantOf, operate, YES, type CommandContext } from './operate.ts';
import { CommandError, readCount, readId, readText, type Output, type Shell } from './shell.ts';

/** Maximum SMS units of one credit, to catch typing errors. */
const MAX_UNITS = 10_000_000;

export const commands = { sms: defineSms };

function defineSms(sms: Command, shell: Shell): void {
  sms
    .command('credit')
    .description('credit units to a merchant; cannot be undone')
    .argument('<merchantId>', 'the merchant', readId)
    .argument('<units>', 'number of units', readCount(1, MAX_UNITS))
    .requiredOption('--description <text>', 'text of the ledger entry, such as an invoice number', readText)
    .addOption(YES)
    .action(operate(shell, credit));
}

async function credit(
  context: CommandContext,
  id: string,
  units: number,
  options: { description: string },
): Promise<Output> {
  const { core, actor, confirm } = context;
  const description = options.description.slice(0, 200);
  const { id: merchantId, name } = await findMerchantOf(core, id);
  await confirm(`${name} gets ${units} SMS units.`, name);
  const at = core.clock.now();
  const balance = await inTransaction(core, async (db) => {
    const after = await creditUnits(db, { merchantId, units, description, at });
    const changes = { units, description, balance: { before: after - units, after } };
    await recordAudit(db, { merchantId, actor, action: 'sms.credited', target: merchantId, changes, at });
    return after;
  }).catch((error: unknown) => {
    throw error instanceof RangeError ? new CommandError(`The credit is refused: ${error.message}.`) : error;
  });
  return { json: { merchantId, units, balance } };
}
