// balcao plan, balcao invoice: the plans that merchants can choose, and the documents of billing.
import type { Command } from 'commander';
import { toDecimal } from '../../shared/money.ts';
import { certifyDocument } from '../billing/certify.ts';
import { creditInvoice } from '../billing/credit.ts';
import { findDocumentExtras, numberOf, viewCreditNote, viewInvoiceDetails } from '../billing/documents.ts';
import { Invoice, Plan } from '../billing/entities.ts';
import { requestCertification, findUncertified } from '../billing/handover.ts';
import { createPlan, listPlans, retirePlan } from '../billing/plans.ts';
import { viewPlan } from '../billing/schemas.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { findMerchantOf, operate, YES, type CommandContext } from './operate.ts';
import {
  CommandError,
  formatTable,
  findMoney,
  readCount,
  readId,
  readMoment,
  readText,
  UsageError,
  type Output,
  type Shell,
} from './shell.ts';

export const commands = { plan: definePlan, invoice: defineInvoice };

function definePlan(plan: Command, shell: Shell): void {
  plan.command('list').description('list the plans that merchants can choose').action(operate(shell, showPlans));
  plan
    .command('create')
    .description('create a plan; plans never change, so another price needs another plan')
    .requiredOption('--name <text>', 'the name that merchants see', readText)
    .requiredOption('--monthly-fee <amount>', 'monthly fee without tax, such as 5000.00')
    .option('--included <count>', 'payments per month that the fee covers', readCount(0, 100_000_000), 0)
    .requiredOption('--payment-fee <amount>', 'fee of each further payment without tax, such as 25.00')
    .option('--currency <code>', 'currency of the fees', 'AOA')
    .action(operate(shell, makePlan));
  plan
    .command('retire')
    .description('remove a plan from the choice; its merchants keep it')
    .argument('<planId>', 'the plan', readId)
    .addOption(YES)
    .action(operate(shell, endPlan));
}

async function showPlans({ core }: CommandContext): Promise<Output> {
  const columns = ['id', 'name', 'monthlyFee', 'includedPayments', 'paymentFee', 'currency'];
  return { json: (await listPlans(core)).map(viewPlan), columns };
}

type PlanOptions = { name: string; monthlyFee: string; included: number; paymentFee: string; currency: string };

async function makePlan({ core, actor }: CommandContext, options: PlanOptions): Promise<Output> {
  const { name, currency, included: includedPayments } = options;
  // `createPlan` reports each fee that is no valid amount, so an invalid text becomes NaN here.
  const feeOf = (text: string) => findMoney(text, currency) ?? 'NaN';
  const fees = { monthlyFee: feeOf(options.monthlyFee), paymentFee: feeOf(options.paymentFee) };
  const request = { name, currency, includedPayments, ...fees };
  const made = await inTransaction(core, async (db) => {
    const made = await createPlan({ ...core, ...db, pool: db.pool as typeof core.pool }, request);
    const about = { merchantId: null, target: made.id, at: core.clock.now() };
    await recordAudit(db, { ...about, actor, action: 'plan.created', changes: { ...viewPlan(made) } });
    return made;
  });
  return { json: viewPlan(made) };
}

async function endPlan({ core, actor, confirm }: CommandContext, id: string): Promise<Output> {
  const plan = await em(core).findOne(Plan, { id });
  if (!plan) throw new CommandError(`There is no plan ${id}. The command plan list shows them.`);
  if (plan.retiredAt) throw new CommandError(`${plan.name} is retired already.`);
  await confirm(`Merchants can no longer choose ${plan.name}.`, plan.name);
  await inTransaction(core, async (db) => {
    if (!(await retirePlan({ ...core, ...db, pool: db.pool as typeof core.pool }, id))) return;
    await recordAudit(db, { merchantId: null, actor, action: 'plan.retired', target: id, at: core.clock.now() });
  });
  return { json: { ...viewPlan(plan), retired: true } };
}

function defineInvoice(invoice: Command, shell: Shell): void {
  invoice
    .command('list')
    .description('list the newest invoices with their credit notes')
    .argument('[merchantId]', 'only invoices of this merchant', readId)
    .option('--limit <count>', 'maximum number', readCount(1, 10_000), 50)
    .action(operate(shell, showInvoices));
  invoice
    .command('certify')
    .description('store the certified document of an invoice or credit note')
    .argument('<documentId>', 'the invoice or credit note', readId)
    .requiredOption('--number <text>', 'number given by the certified program', readText)
    .requiredOption('--series <text>', 'series of the number', readText)
    .requiredOption('--hash <text>', 'signature of the certified program', readText)
    .requiredOption('--file <path>', 'the PDF; - reads standard input')
    .option('--url <address>', 'address of the document at the program')
    .option('--issued-at <time>', 'ISO 8601 (now)', readMoment)
    .addHelpText('after', '\nRepeating it changes nothing. Another certificate of the same document is refused.')
    .action(operate(shell, certify));
  invoice
    .command('credit')
    .description('correct an invoice by a credit note')
    .argument('<invoiceId>', 'the invoice', readId)
    .requiredOption('--amount <amount>', 'amount without tax, such as 100.00; all: the rest')
    .requiredOption('--reason <text>', 'shown on the note; repeating the same reason creates no second note', readText)
    .addOption(YES)
    .action(operate(shell, credit));
  invoice
    .command('request')
    .description('notify the certified program again of one document, or of all that are not certified')
    .argument('[documentId]', 'the invoice or credit note', readId)
    .action(operate(shell, requestAgain));
}

async function showInvoices(
  { core }: CommandContext,
  id: string | undefined,
  { limit }: { limit: number },
): Promise<Output> {
  const filter = id === undefined ? {} : { merchantId: (await findMerchantOf(core, id)).id };
  const newest = { issuedAt: 'desc', year: 'desc', serial: 'desc' } as const;
  const found = await em(core).find(Invoice, filter, { orderBy: newest, limit });
  const ids = found.map(({ id }) => id);
  const standing = await findDocumentExtras(core, ids);
  const json = found.map((of) => {
    const { merchantId, merchantName } = of;
    return { ...viewInvoiceDetails(of, standing), merchantId, merchantName };
  });
  const rows = json.flatMap((invoice) => [
    { ...invoice, certified: nameOf(invoice.fiscal) },
    ...invoice.creditNotes.map((note) => ({ ...note, certified: nameOf(note.fiscal) })),
  ]);
  return {
    json,
    text: formatTable(rows, ['id', 'number', 'merchantName', 'total', 'currency', 'issuedAt', 'certified']),
  };
}

const nameOf = (fiscal: { series: string; number: string } | null) => fiscal && `${fiscal.series} ${fiscal.number}`;

type Certificate = { number: string; series: string; hash: string; file: string; url?: string; issuedAt?: Date };

async function certify(
  { core, actor, readInput }: CommandContext,
  documentId: string,
  options: Certificate,
): Promise<Output> {
  const { number: certifiedNumber, series, hash, url = null, issuedAt = null } = options;
  const input = { number: certifiedNumber, series, url, hash, issuedAt, file: await readInput(options.file) };
  const certified = await certifyDocument(core, { documentId, input, actor });
  if (!('fiscal' in certified)) {
    if (certified.result === 'unknown') throw noDocument(documentId);
    throw new CommandError(`${series} ${certifiedNumber} certifies another document already.`);
  }
  const { result, number, fiscal } = certified;
  if (result === 'different')
    throw new CommandError(`${number} is certified as ${nameOf(fiscal)} already. Only a credit note can correct it.`);
  return { json: { documentId, number, isNew: result === 'new', fiscal } };
}

const noDocument = (id: string) => new CommandError(`There is no document ${id}. The command invoice list shows them.`);

type Correction = { amount: string; reason: string };

async function credit(
  { core, actor, confirm }: CommandContext,
  invoiceId: string,
  options: Correction,
): Promise<Output> {
  const corrected = await em(core).findOne(Invoice, { id: invoiceId });
  if (!corrected) throw noDocument(invoiceId);
  const { merchantName, currency } = corrected;
  const { amount: typed, reason } = options;
  const amount = typed === 'all' ? typed : findMoney(typed, currency);
  if (amount === null) throw new UsageError('--amount must be an amount such as 1500 or 1500.50, or all.');
  await confirm(
    `${merchantName} is credited ${amount} of ${numberOf(corrected)}. This cannot be undone.`,
    merchantName,
  );
  const credited = await creditInvoice(core, { invoiceId, input: { amount, reason }, actor });
  if (credited.result === 'unknown') throw noDocument(invoiceId);
  if (credited.result === 'too_much')
    throw new CommandError(`Only ${toDecimal(credited.leftMinor, currency)} ${currency} are left of it, without tax.`);
  const { result, note } = credited;
  const [number, total] = [numberOf(note, 'credit_note'), `${toDecimal(note.totalMinor, currency)} ${currency}`];
  if (result === 'different')
    throw new CommandError(`${number} credits ${total} for this reason. Another amount needs another reason.`);
  return { json: { ...viewCreditNote(note, await findDocumentExtras(core, [invoiceId])), isNew: result === 'new' } };
}

async function requestAgain({ core }: CommandContext, documentId: string | null = null): Promise<Output> {
  if (!core.config.BILLING_CERTIFIER_URL) throw new CommandError('BILLING_CERTIFIER_URL: required for this command.');
  const ids = (await findUncertified.all(core, { documentId })).map(({ id }) => id);
  if (documentId && ids.length === 0) throw new CommandError(`${documentId} is already certified, or unknown.`);
  await inTransaction(core, async (db) => {
    for (const id of ids) await requestCertification(core, db, id);
  });
  return { json: { documentIds: ids } };
}
