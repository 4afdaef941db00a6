// balcao sms: a merchant's units, credited by the operator.
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { creditUnits, findBalance } from '../sms/ledger.ts';
import type { Desk, Group } from './subcommand.ts';
import { CommandError, findMerchantOf, needText, readCount, type Output } from './command.ts';

/** One credit; a slip of the finger is not a year's worth. */
const MOST_UNITS = 10_000_000;

export const sms: Group = {
  credit: {
    about: 'give a merchant units; they cannot be taken back',
    takes: ['merchantId', 'units'],
    options: {
      description: { type: 'string', value: 'text', about: 'what the ledger says of it, such as an invoice' },
    },
    asks: 'always',
    run: creditMerchant,
  },
  balance: { about: 'the units that a merchant has', takes: ['merchantId'], run: showBalance },
};

async function creditMerchant({ core, actor, call, given, confirm }: Desk): Promise<Output> {
  const units = readCount(given[1], 'units', { least: 1, most: MOST_UNITS });
  const description = needText(call, 'description').slice(0, 200);
  const { id: merchantId, name } = await findMerchantOf(core, given[0]);
  await confirm(`${name} gets ${units} SMS units.`, name);
  const at = core.clock.now();
  const balance = await inTransaction(core, async (db) => {
    const after = await creditUnits(db, { merchantId, units, description, at });
    const changes = { units, description, balance: { before: after - units, after } };
    await recordAudit(db, { merchantId, actor, action: 'sms.credited', target: merchantId, changes, at });
    return after;
  }).catch((error: unknown) => {
    throw error instanceof RangeError ? new CommandError(`This cannot be: ${error.message}.`) : error;
  });
  return { text: `${name} has ${balance} SMS units now.`, json: { merchantId, units, balance } };
}

async function showBalance({ core, given }: Desk): Promise<Output> {
  const { id: merchantId, name } = await findMerchantOf(core, given[0]);
  const balance = await findBalance(core, merchantId);
  return { text: `${name} has ${balance} SMS units.`, json: { merchantId, balance } };
}
