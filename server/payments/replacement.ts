// The merchant's replacement: charges the money of an unpaid payment in another way, never twice.
import { z } from 'zod';
import { toDecimal } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import { isFinal } from '../../shared/status.ts';
import type { Core } from '../core.ts';
import { prepared, type Db } from '../database/db.ts';
import { inTransaction, repeatOnDuplicate } from '../database/orm.ts';
import { text } from '../http/fields.ts';
import { findStored, paymentIdsOf, replay, type Keyed } from '../http/idempotency.ts';
import { invalidFields, Problem, type Answer } from '../http/problem.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { choosePpr } from '../rails/choose.ts';
import { cancelerOf, creatorOf } from './core/creator.ts';
import { PUSHES, type Payment, type Reference } from './core/entities.ts';
import {
  insertInTransaction,
  insertOrRollBack,
  NO_CONFLICT,
  type Creation,
  type InsertConflicts,
} from './core/insert.ts';
import {
  findCreatingAttempt,
  findPayerOf,
  findPayment,
  findReferenceOf,
  lockPayment,
  payerOf,
  type Payer,
} from './core/rows.ts';
import { closeReplacement } from './core/paid-twice.ts';
import { submitAttempt } from './core/submit.ts';
import { createdPayment, time, viewPair } from './core/view.ts';
import { createPayment, replayCreation, type CreationInput } from './create.ts';
import { byId, describeCreated, describePayment, findOwn } from './read.ts';
import {
  copyToReplacement,
  endForReplacement,
  idOfReplacement,
  insertReferenceReplacement,
  replacedBy,
} from './replace.ts';
import type { GpoCreation } from './schemas.ts';

const METHODS = ['onetimepurchase', 'qrcode', 'reference'] as const;

const replacement = z.object({
  paymentMethod: z.enum(METHODS),
  phoneNumber: text(40).describe('onetimepurchase: the number for the push. Absent: the number of the last push'),
});

type ReplacementRequest = z.output<typeof replacement>;

/** How a replacement stands: whether it is allowed now, and the push that the payer may still approve. */
const outlook = z
  .object({
    isReplaceable: z.boolean().describe('True if `replacePayment` would charge this money in another way now'),
    payableUntil: time
      .nullable()
      .describe('The time until which the payment itself may be paid. Null if it has ended, or if only the rail knows'),
    push: z
      .object({ phoneNumber: z.string(), sentAt: time, expiresAt: time })
      .nullable()
      .describe('The newest push: the mobile number that received it, and the end of the payer’s time to approve it'),
  })
  .meta({ id: 'ReplacementOutlook' });

export function replacementRoutes(core: Core): Route[] {
  return [declareOutlook(core), declareReplacement(core)];
}

function declareOutlook(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/payments/{paymentId}/replacement',
    operationId: 'readReplacement',
    tag: 'Payments',
    summary: 'Read whether a payment can be charged in another way',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    params: byId,
    answers: { 200: { description: 'The outlook', schema: outlook } },
    async run({ caller, params }) {
      const payment = await findOwn(core, caller.merchantId, params.paymentId);
      return { status: 200, body: await readOutlook(core, payment) };
    },
  });
}

function declareReplacement(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/payments/{paymentId}/replacement',
    operationId: 'replacePayment',
    tag: 'Payments',
    summary: 'Charge the money of an unpaid payment in another way',
    description:
      'Creates a payment of the same amount, currency, description and custom metadata, by push, QR code or payment ' +
      'reference. `replaces` and `replacedBy` connect both payments. A page, QR code or reference that can be ' +
      'withdrawn is canceled in the same transaction. A push that the payer may still approve is 409 ' +
      '`payment_in_progress`. If another request has replaced the payment already, the answer is 200 with the ' +
      'payment that is open or paid now, so that two devices never charge twice.',
    access: { kind: 'bearer', scope: 'payments:write' },
    bucket: 'write',
    params: byId,
    body: replacement,
    idempotent: true,
    example: { paymentMethod: 'qrcode' },
    refusals: {
      400: 'Every fault, by field: required, invalid_phone, payment_method_unavailable, gpo_id_required …',
      409:
        'payment_in_progress: the payment may still take money; payment_not_replaceable; reference_in_flight; ' +
        'terminal_closed; idempotency_in_progress',
      503: 'rail_unavailable: the QR code was not made; references_exhausted: no number is free on the entity',
    },
    answers: {
      201: { description: 'Created', schema: createdPayment, headers: { Location: 'The payment' } },
      200: { description: 'The payment that replaced this one before', schema: createdPayment },
    },
    run: ({ caller, params, body, keyed }) =>
      replacePayment(core, { caller, paymentId: params.paymentId, request: body, keyed }),
  });
}

/** Reads what a person needs before another way: the number of the push, and until when it may be approved. */
async function readOutlook(core: Core, payment: Payment): Promise<z.input<typeof outlook>> {
  const chain = await findChain(core, payment);
  const { obstacle, existingId } = await judge(core, chain, payment.id);
  const push = payment.phone ? await findPush.first(core, { paymentId: payment.id }) : null;
  const isOpen = obstacle === 'payment_in_progress' && payment.status !== 'Processing';
  return {
    isReplaceable: !obstacle && !existingId,
    payableUntil: (isOpen && payment.expiresAt?.toISOString()) || null,
    push: push && {
      phoneNumber: payment.phone as string,
      sentAt: push.createdAt.toISOString(),
      expiresAt: new Date(push.createdAt.getTime() + core.config.GPO_PUSH_WINDOW_S * 1000).toISOString(),
    },
  };
}

const findPush = prepared((tables, { paymentId }: { paymentId: string }) =>
  tables
    .selectFrom('attempts')
    .select('createdAt')
    .where('paymentId', '=', paymentId)
    .where('kind', 'in', PUSHES)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

type Replacing = {
  caller: Caller;
  paymentId: string;
  request: ReplacementRequest;
  keyed: Keyed | null;
};

/** The most rounds of a replacement. Each concurrent replacement of the same money causes one more. */
const ROUNDS = 8;

/** Replaces the newest payment of a chain, once. @throws the problems that `declareReplacement` names */
async function replacePayment(core: Core, input: Replacing): Promise<Answer> {
  const { merchantId } = input.caller;
  const first = await findOwn(core, merchantId, input.paymentId);
  const merchant = await findMerchant(core, merchantId);
  for (let round = 0; round < ROUNDS; round++) {
    const chain = await findChain(core, first);
    const newest = chain.at(-1) as Payment;
    const replacing = { ...input, merchant, first, newest };
    try {
      await check(core, chain, first.id);
      if (input.request.paymentMethod === 'reference') return await byReference(core, replacing);
      return await byGpo(core, replacing);
    } catch (error) {
      if (error instanceof ChainMoved) continue;
      // The first request with this key may be the cause of the refusal.
      const replayed = error instanceof Problem ? await replayStored(core, input) : null;
      if (replayed) return replayed;
      return { status: 200, body: await describePayment(core, merchantId, idOfReplacement(relocate(error))) };
    }
  }
  throw new Problem('payment_in_progress');
}

/** Returns the stored response of the key, even if the request would be refused now. */
async function replayStored(core: Core, { caller, request, keyed }: Replacing): Promise<Answer | null> {
  const { merchantId } = caller;
  const stored = keyed && (await findStored.first(core, { merchantId, key: keyed.key }));
  if (!stored) return null;
  const [paymentId = ''] = paymentIdsOf(stored);
  const { paymentMethod } = request;
  if (paymentMethod === 'reference') return { ...replay(stored, keyed), body: await describeCreated(core, paymentId) };
  const again = { metadata: { paymentMethod } } as GpoCreation;
  return (await replayCreation(core, stored, { merchantId, keyed, wantsRepresentation: true, request: again })).answer;
}

type Prepared = Replacing & { merchant: Merchant; first: Payment; newest: Payment };

async function byGpo(core: Core, { caller, request, keyed, merchant, first, newest }: Prepared): Promise<Answer> {
  const { amountMinor, currency, description, gpoMerchantId, gpoPosId, returnUrl = null, cancelUrl = null } = newest;
  const typed = request.phoneNumber?.trim();
  const isPush = request.paymentMethod === 'onetimepurchase';
  const phoneNumber = isPush ? readPhone(typed || (await findPhone(core, newest))) : null;
  const payer = await findPayer(core, newest);
  const input: CreationInput = {
    merchantId: merchant.id,
    caller,
    keyed,
    wantsRepresentation: true,
    request: {
      amount: toDecimal(amountMinor, currency),
      currency,
      paymentType: 'GPO',
      reference: newest.reference,
      metadata: {
        paymentMethod: request.paymentMethod,
        phoneNumber,
        description,
        gpo_merchant_id: merchant.gpoMerchantIds.find((id) => id === gpoMerchantId),
        gpo_pos_id: merchant.gpoPosIds.find((id) => id === gpoPosId),
      },
    } as GpoCreation,
    replaced: {
      columns: { ...copyToReplacement(newest), payerTaxId: payer.documentNumber, returnUrl, cancelUrl },
      write: (creation) => write(core, { caller, first, newest }, creation),
    },
  };
  const { answer, order } = await createPayment(core, input);
  if (order) core.inBackground(submitAttempt(core, order));
  if (request.paymentMethod === 'qrcode') await closeIfPaid(core, newest);
  return answer;
}

/** Closes a new QR code if an earlier payment received money while the rail made the code. */
async function closeIfPaid(core: Core, { id }: Payment): Promise<void> {
  const replaced = await findPayment.one(core, { id });
  const paid = (await findChain(core, replaced)).find(({ amountPaidMinor }) => amountPaidMinor > 0);
  if (!paid?.replacedById) return;
  await inTransaction(core, async (db) => {
    await lockPayment.one(db, { id: paid.id });
    await closeReplacement(core, db, paid.id, {});
  });
}

/** Ends the newest payment of the chain and inserts its replacement, in one transaction. */
async function write(
  core: Core,
  { caller, first, newest }: Pick<Prepared, 'caller' | 'first' | 'newest'>,
  creation: Creation,
): Promise<InsertConflicts> {
  const insert = async (db: Db) => {
    const payment = await lockNewest(core, db, first, newest);
    await endForReplacement(core, db, payment, creation.payment, cancelerOf(caller));
    return [await insertInTransaction(db, creation)];
  };
  // A concurrent request may commit the same push or key first. Then the second run finds it.
  const [found = NO_CONFLICT] = await repeatOnDuplicate(() => insertOrRollBack(core, insert));
  return found;
}

async function byReference(core: Core, { caller, keyed, merchant, first, newest }: Prepared): Promise<Answer> {
  const { amountMinor, currency } = newest;
  const { account, faults } = choosePpr(core, merchant, { amountMinor, currency, isCharging: false });
  if (!account) throw invalidFields(faults);
  const pair = await insertReferenceReplacement(core, {
    merchant,
    account,
    keyed,
    by: cancelerOf(caller),
    lock: (db) => lockNewest(core, db, first, newest),
    async describe(db, payment) {
      const payer = await findPayer(db, payment);
      return { payer, columns: await creatorOf(db, merchant.id, caller), expiryDate: null };
    },
  });
  return { status: 201, body: viewPair(core, pair) };
}

/** Returns the payer's data, with the number of the last push. The cashier does not type the number again. */
async function findPayer(db: Db, payment: Payment): Promise<Payer> {
  const reference = await findReferenceOf(db, payment);
  const payer = payerOf(reference ?? (await findPayerOf(db, payment)));
  return { ...payer, customerTelephone: payer.customerTelephone ?? payment.phone ?? null };
}

/** The number of the last push, in the chain or in the payer's data. */
async function findPhone(db: Db, newest: Payment): Promise<string | null> {
  for (const payment of (await findChain(db, newest)).toReversed()) if (payment.phone) return payment.phone;
  return (await findPayer(db, newest)).customerTelephone;
}

/** @throws Problem 400 required or invalid_phone */
function readPhone(typed: string | null): string {
  const phone = typed && normalizePhone(typed);
  if (!phone) throw invalidFields([{ pointer: '/phoneNumber', code: typed ? 'invalid_phone' : 'required' }]);
  return phone;
}

/** The pointers of the created payment become pointers of this request. */
function relocate(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.options.faults) return error;
  const faults = error.options.faults.map((each) => ({ ...each, pointer: each.pointer.replace(/^\/metadata/, '') }));
  return new Problem(error.code, { ...error.options, faults });
}

/** Finds all payments for the same money, oldest first: each replaces the one before. */
async function findChain(db: Db, payment: Payment): Promise<Payment[]> {
  const chain = [payment];
  for (let id = payment.replacesId; id; id = chain[0]?.replacesId) chain.unshift(await findPayment.one(db, { id }));
  for (let id = payment.replacedById; id; id = chain.at(-1)?.replacedById)
    chain.push(await findPayment.one(db, { id }));
  return chain;
}

/**
 * Locks all payments for the same money, oldest first, and checks the rule again.
 * @throws the problems of `check`; ChainMoved if another request has replaced the newest payment since it was read
 */
async function lockNewest(core: Core, db: Db, first: Payment, newest: Payment): Promise<Payment> {
  const [oldest] = await findChain(db, first);
  const chain: Payment[] = [];
  for (let id: string | null | undefined = oldest?.id; id; id = chain.at(-1)?.replacedById)
    chain.push(await lockPayment.one(db, { id }));
  await check(core, chain, first.id);
  const last = chain.at(-1) as Payment;
  if (last.id !== newest.id) throw new ChainMoved();
  return last;
}

class ChainMoved extends Error {}

/** @throws Problem for a payment that cannot be replaced now, and payment_replaced with the payment to use instead */
async function check(core: Core, chain: Payment[], askedId: string): Promise<void> {
  const { obstacle, existingId } = await judge(core, chain, askedId);
  if (existingId) throw replacedBy(existingId);
  if (obstacle) throw new Problem(obstacle);
}

type Verdict = { obstacle: 'payment_not_replaceable' | 'payment_in_progress' | null; existingId: string | null };

/**
 * The rule of a replacement: no payment of the chain has money, and the newest one cannot receive money any more.
 * `existingId`: another payment of the chain is open or has the money.
 */
async function judge(core: Core, chain: Payment[], askedId: string): Promise<Verdict> {
  const newest = chain.at(-1) as Payment;
  const paid = chain.find(({ amountPaidMinor }) => amountPaidMinor > 0);
  const obstacle = paid ? 'payment_not_replaceable' : await findObstacle(core, newest);
  const inUse = paid ?? (obstacle || !isFinal(newest.status) ? newest : null);
  return { obstacle, existingId: inUse && inUse.id !== askedId ? inUse.id : null };
}

const REPLACEABLE: ReadonlySet<Payment['paymentMethod']> = new Set(['webframe', ...METHODS]);

async function findObstacle(core: Core, payment: Payment): Promise<Verdict['obstacle']> {
  const { amountMinor, paymentMethod, maxTransactions, linkId, status } = payment;
  const reference = await findReferenceOf(core, payment);
  // A payment of a link belongs to the payer's page. A code or reference for many payers has no amount of its own.
  const isRepeated = (maxTransactions ?? 1) > 1 || reference?.type === 'Charging' || amountMinor === 0;
  if (isRepeated || linkId || !REPLACEABLE.has(paymentMethod)) return 'payment_not_replaceable';
  if (status === 'Processing' || (await staysPayable(core, payment, reference))) return 'payment_in_progress';
  return null;
}

/** True if the rail cannot withdraw the payment's code or reference, and the payer may still pay by it. */
async function staysPayable(core: Core, payment: Payment, reference: Reference | null): Promise<boolean> {
  const { id, status, paymentMethod, qrContent, expiresAt } = payment;
  const isInTime = !expiresAt || expiresAt > core.clock.now();
  if (!isInTime || (status !== 'Pending' && status !== 'Canceled')) return false;
  if (reference) return (await core.rails.can(reference.rail, 'ppr'))?.withdraw === false;
  // The rail is still making the code.
  if (paymentMethod === 'qrcode' && !qrContent) return status === 'Pending';
  if (!qrContent) return false;
  const { rail } = await findCreatingAttempt(core, id, 'qrcode');
  return !(await core.rails.can(rail, 'gpo'))?.qrWithdraw;
}
