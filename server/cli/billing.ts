// balcao plan, balcao invoice: what merchants can subscribe to, and what they owe.
import { toDecimal } from '../../shared/money.ts';
import { certifyDocument } from '../billing/certify.ts';
import { creditInvoice } from '../billing/credit.ts';
import { findStanding, numberOf, viewCreditNote, viewInvoiceDetails, type DocumentKind } from '../billing/documents.ts';
import { Invoice, type CreditNote } from '../billing/entities.ts';
import { askForCertification, findInvoice, findUncertified } from '../billing/handover.ts';
import { viewPlan } from '../billing/schemas.ts';
import { createPlan, findPlan, listPlans, retirePlan } from '../billing/plans.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { recordAudit } from '../audit/record.ts';
import { moment } from '../http/fields.ts';
import type { Desk, Group } from './subcommand.ts';
import {
  CommandError,
  drawTable,
  findMoney,
  findMerchantOf,
  needText,
  readCount,
  readId,
  readMoney,
  textOf,
  UsageError,
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
  const currency = textOf(call, 'currency') ?? 'AOA';
  // `createPlan` names each fee that is no amount.
  const feeOf = (name: string) => findMoney(needText(call, name), currency) ?? 'NaN';
  const asked = {
    name: needText(call, 'name'),
    currency,
    monthlyFee: feeOf('monthly-fee'),
    includedPayments: readCount(textOf(call, 'included') ?? '0', '--included', { most: 100_000_000 }),
    paymentFee: feeOf('payment-fee'),
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
    about: 'invoices with their credit notes, of everybody or of one merchant',
    takes: ['merchantId?'],
    options: { limit: { type: 'string', value: 'count', default: '50', about: 'the newest of them' } },
    run: showInvoices,
  },
  certify: {
    about: 'keep the certified document that another program made of an invoice or credit note',
    takes: ['documentId'],
    options: {
      number: { type: 'string', value: 'text', about: 'as the certified program numbered it' },
      series: { type: 'string', value: 'text', about: 'of the number' },
      hash: { type: 'string', value: 'text', about: 'what the program signed it with' },
      file: { type: 'string', value: 'path', about: 'the PDF; - takes what is piped in' },
      url: { type: 'string', value: 'address', about: 'where it can be looked at, when the program says' },
      'issued-at': { type: 'string', value: 'time', about: 'ISO 8601; without it: now' },
    },
    notes:
      'Repeated, it changes nothing; another certificate of the same document is refused: a credit note corrects it.',
    run: certify,
  },
  credit: {
    about: 'take back what an invoice asked for too much, by a credit note',
    takes: ['invoiceId'],
    options: {
      amount: { type: 'string', value: '100.00', about: 'without tax; all: what is left of it' },
      reason: { type: 'string', value: 'text', about: 'stands on the note; repeated with it, the note is made once' },
    },
    asks: 'always',
    run: credit,
  },
  request: {
    about: 'ask the certified program again for one document, or for all that are not certified',
    takes: ['documentId?'],
    run: askAgain,
  },
};

async function showInvoices({ core, call, given }: Desk): Promise<Output> {
  const limit = readCount(textOf(call, 'limit'), '--limit', { least: 1, most: 10_000 });
  const wanted = given[0] === undefined ? {} : { merchantId: (await findMerchantOf(core, given[0])).id };
  const newest = { issuedAt: 'desc', year: 'desc', serial: 'desc' } as const;
  const found = await em(core).find(Invoice, wanted, { orderBy: newest, limit });
  const standing = await findStanding(
    core,
    found.map(({ id }) => id),
  );
  const fiscalOf = (id: string) => {
    const fiscal = standing.fiscal.get(id);
    return fiscal && `${fiscal.series} ${fiscal.number}`;
  };
  const rows = found.flatMap((of) => [
    rowOf(of, 'invoice', [of.month, fiscalOf(of.id)]),
    ...standing.notes
      .filter(({ invoiceId }) => invoiceId === of.id)
      .map((note) => rowOf(note, 'credit_note', [of.month, fiscalOf(note.id)])),
  ]);
  const heads = ['documentId', 'number', 'month', 'merchant', 'total', 'issued', 'certified'];
  const json = found.map((of) => {
    const { merchantId, merchantName } = of;
    return { ...viewInvoiceDetails(of, standing), merchantId, merchantName };
  });
  return { text: drawTable(heads, rows, 'There are none.'), json };
}

function rowOf(of: Invoice | CreditNote, kind: DocumentKind, [month, fiscal]: [string, string | undefined]) {
  const total = `${kind === 'credit_note' ? '-' : ''}${toDecimal(of.totalMinor, of.currency)} ${of.currency}`;
  return [of.id, numberOf(of, kind), month, of.merchantName, total, of.issuedAt, fiscal];
}

async function certify({ core, actor, call, given, readBytes }: Desk): Promise<Output> {
  const documentId = readId(given[0], 'documentId');
  const asked = {
    number: needText(call, 'number'),
    series: needText(call, 'series'),
    url: textOf(call, 'url') ?? null,
    hash: needText(call, 'hash'),
    issuedAt: readMoment(textOf(call, 'issued-at')),
    file: await readBytes(needText(call, 'file')),
  };
  const certified = await certifyDocument(core, { documentId, asked, actor });
  if (!('fiscal' in certified)) {
    if (certified.result === 'unknown') throw noDocument(documentId);
    throw new CommandError(`${asked.series} ${asked.number} certifies another document already.`);
  }
  const { result, number, fiscal } = certified;
  const name = `${fiscal.series} ${fiscal.number}`;
  if (result === 'different')
    throw new CommandError(
      `${number} was certified before, as ${name}: that never changes. A credit note corrects it.`,
    );
  const said = result === 'new' ? `is certified: ${name}` : `was certified before: ${name}`;
  return { text: `${number} ${said}`, json: { documentId, number, isNew: result === 'new', fiscal } };
}

/** @throws UsageError */
function readMoment(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const { data, success } = moment.safeParse(text);
  if (success) return data;
  throw new UsageError('--issued-at must be a time such as 2026-12-01T09:00:00Z');
}

const noDocument = (id: string) => new CommandError(`There is no document ${id}: invoice list shows them.`);

async function credit({ core, actor, call, given, confirm }: Desk): Promise<Output> {
  const invoiceId = readId(given[0], 'invoiceId');
  const [typed, reason] = [needText(call, 'amount'), needText(call, 'reason')];
  const corrected = await findInvoice.first(core, { id: invoiceId });
  if (!corrected) throw new CommandError(`There is no invoice ${invoiceId}: invoice list shows them.`);
  const { merchantName, currency } = corrected;
  const asked = { amount: typed === 'all' ? typed : readMoney(typed, '--amount', currency), reason };
  await confirm(`${merchantName} is credited ${asked.amount} of ${numberOf(corrected)}, for good.`, merchantName);
  const credited = await creditInvoice(core, { invoiceId, asked, actor });
  if (credited.result === 'unknown') throw noDocument(invoiceId);
  if (credited.result === 'too_much')
    throw new CommandError(`Only ${toDecimal(credited.leftMinor, currency)} ${currency} are left of it, without tax.`);
  const { result, note } = credited;
  const [number, total] = [numberOf(note, 'credit_note'), `${toDecimal(note.totalMinor, currency)} ${currency}`];
  if (result === 'different') throw new CommandError(`For this reason ${number} credits ${total}: name another one.`);
  const json = { ...viewCreditNote(note, await findStanding(core, [invoiceId])), isNew: result === 'new' };
  return {
    text: `${number} ${result === 'new' ? 'credits' : 'was made before, and credits'} ${total}: ${note.id}`,
    json,
  };
}

async function askAgain({ core, given }: Desk): Promise<Output> {
  if (!core.config.BILLING_CERTIFIER_URL)
    throw new CommandError('No certified program is set: BILLING_CERTIFIER_URL names it.');
  const documentId = given[0] === undefined ? null : readId(given[0], 'documentId');
  const ids = (await findUncertified.all(core, { documentId })).map(({ id }) => id);
  if (documentId && ids.length === 0) throw new CommandError(`${documentId} is certified, or no document of ours.`);
  await inTransaction(core, async (db) => {
    for (const id of ids) await askForCertification(core, db, id);
  });
  return { text: `Asked for: ${ids.length}`, json: { documentIds: ids } };
}
