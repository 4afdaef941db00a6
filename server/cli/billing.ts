// balcao plan, balcao invoice: what merchants can subscribe to, and what they owe.
import { toDecimal } from '../../shared/money.ts';
import { Invoice } from '../billing/entities.ts';
import { numberOf, viewInvoice, viewPlan } from '../billing/schemas.ts';
import { createPlan, findPlan, listPlans, retirePlan } from '../billing/plans.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../events/audit.ts';
import type { Desk, Group } from './subcommand.ts';
import {
  CommandError,
  drawTable,
  findMerchantOf,
  needText,
  readCount,
  readId,
  textOf,
  type Output,
} from './command.ts';

export const plan: Group = {
  list: { about: 'the plans that can be chosen', takes: [], run: showPlans },
  create: {
    about: 'a new plan; it never changes: another price is another plan',
    takes: [],
    options: {
      name: { type: 'string', value: 'text', about: 'as merchants see it' },
      'monthly-fee': { type: 'string', value: '5000.00', about: 'a month, without tax' },
      included: { type: 'string', value: 'count', default: '0', about: 'payments a month that the fee covers' },
      'payment-fee': { type: 'string', value: '25.00', about: 'for each payment beyond them, without tax' },
      currency: { type: 'string', value: 'code', default: 'AOA', about: 'of the fees' },
    },
    run: makePlan,
  },
  retire: {
    about: 'nobody can choose it any more; who has it keeps it',
    takes: ['planId'],
    asks: 'always',
    run: endPlan,
  },
};

async function showPlans({ core }: Desk): Promise<Output> {
  const plans = await listPlans(core);
  const rows = plans.map(({ id, name, monthlyFeeMinor, includedPayments, paymentFeeMinor, currency }) => [
    id,
    name,
    `${toDecimal(monthlyFeeMinor, currency)} ${currency}`,
    includedPayments,
    `${toDecimal(paymentFeeMinor, currency)} ${currency}`,
  ]);
  const heads = ['planId', 'name', 'a month', 'included', 'each more'];
  return { text: drawTable(heads, rows, 'There are no plans.'), json: plans.map(viewPlan) };
}

async function makePlan({ core, actor, call }: Desk): Promise<Output> {
  const asked = {
    name: needText(call, 'name'),
    currency: textOf(call, 'currency') ?? 'AOA',
    monthlyFee: needText(call, 'monthly-fee'),
    includedPayments: readCount(textOf(call, 'included') ?? '0', '--included', { most: 100_000_000 }),
    paymentFee: needText(call, 'payment-fee'),
  };
  const made = await inTransaction(core, async (db) => {
    const made = await createPlan({ ...core, ...db, pool: db.pool as typeof core.pool }, asked);
    const about = { merchantId: null, target: made.id, at: core.clock.now() };
    await recordAudit(db, { ...about, actor, action: 'plan.created', changes: { ...viewPlan(made) } });
    return made;
  });
  return { text: `${made.name} can be chosen: ${made.id}`, json: viewPlan(made) };
}

async function endPlan({ core, actor, given, confirm }: Desk): Promise<Output> {
  const id = readId(given[0], 'planId');
  const known = await findPlan(core, id);
  if (!known) throw new CommandError(`There is no plan ${id}: plan list shows them.`);
  if (known.retiredAt) throw new CommandError(`${known.name} was retired before.`);
  await confirm(`Nobody will be able to choose ${known.name} any more.`, known.name);
  await inTransaction(core, async (db) => {
    if (!(await retirePlan({ ...core, ...db, pool: db.pool as typeof core.pool }, id))) return;
    await recordAudit(db, { merchantId: null, actor, action: 'plan.retired', target: id, at: core.clock.now() });
  });
  return { text: `${known.name} is retired; who has it keeps it.`, json: { ...viewPlan(known), retired: true } };
}

export const invoice: Group = {
  list: {
    about: 'invoices, of everybody or of one merchant',
    takes: ['merchantId?'],
    options: { limit: { type: 'string', value: 'count', default: '50', about: 'the newest of them' } },
    run: showInvoices,
  },
};

async function showInvoices({ core, call, given }: Desk): Promise<Output> {
  const limit = readCount(textOf(call, 'limit'), '--limit', { least: 1, most: 10_000 });
  const wanted = given[0] === undefined ? {} : { merchantId: (await findMerchantOf(core, given[0])).id };
  const newest = { issuedAt: 'desc', year: 'desc', serial: 'desc' } as const;
  const found = await em(core).find(Invoice, wanted, { orderBy: newest, limit });
  const rows = found.map((invoice) => [
    numberOf(invoice),
    invoice.month,
    invoice.merchantName,
    `${toDecimal(invoice.totalMinor, invoice.currency)} ${invoice.currency}`,
    invoice.issuedAt,
  ]);
  const text = drawTable(['number', 'month', 'merchant', 'total', 'issued'], rows, 'There are none.');
  const json = found.map((invoice) => {
    const { merchantId, merchantName } = invoice;
    return { ...viewInvoice(invoice), merchantId, merchantName };
  });
  return { text, json };
}
