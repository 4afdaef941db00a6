// Plans the verdict and the delay of an order, from its phone's script and its target's status.
import type { PoolClient } from 'pg';
import { planRefund } from './refund-plans.ts';
import { planDecline, planDecision, planStep, type Plan, type PhoneVerdict } from './test-numbers.ts';
import { prepared, type OrderKind, type OrderTarget } from './schema.ts';
import type { Simulation } from './simulation.ts';
import { isTerminalClosed } from './terminals.ts';
import { readMinor, type OrderRow } from './view.ts';

/** A request for an order, with the field names of docs/rail.md. A text that the kind does not have is empty. */
export type OrderRequest = {
  kind: OrderKind;
  id: string;
  merchantId: string;
  terminalId: string;
  reference: string;
  phone: string;
  amount: string;
  currency: string;
  description: string | null;
  /** The gateway's own JSON in a purchase. The rail returns this JSON unchanged and does not read it. */
  ours: string | null;
  /** The id of the order's target: an authorization, a QR code or a transaction. */
  parentId: string | null;
  target: OrderTarget | null;
};

/** The plan of an order, and the fields that the order inherits from its target. */
export type PlannedOrder = { plan: Plan; inherited: Partial<OrderRequest> };

/** Plans an order. The caller holds the target's lock, so that the target cannot change after this read. */
export async function planOrder(db: PoolClient, sim: Simulation, request: OrderRequest): Promise<PlannedOrder> {
  if (request.kind === 'capture') return planCapture(db, request);
  if (request.kind === 'void') return planVoid(db, request);
  if (request.kind === 'refund') return planRefund(db, request);
  return { plan: await planPush(db, sim, request), inherited: {} };
}

async function planPush(db: PoolClient, sim: Simulation, { kind, id, terminalId, phone }: OrderRequest): Promise<Plan> {
  if (kind === 'authorization' && (await isVoidedAhead(db, 'authorization', id))) return planDecline('VOIDED');
  if (await isTerminalClosed(db, terminalId)) return planDecline('TERMINAL_CLOSED');
  return planDecision(phone, sim.windowMs);
}

/** True if a void has arrived before its target. */
export async function isVoidedAhead(db: PoolClient, target: OrderTarget, id: string): Promise<boolean> {
  return (await findVoid.first(db, { target, id })) !== null;
}

const findVoid = prepared((tables, { target, id }: { target: OrderTarget; id: string }) =>
  tables
    .selectFrom('purchases')
    .select('id')
    .where('kind', '=', 'void')
    .where('parentId', '=', id)
    .where('target', '=', target)
    .where('verdict', '=', 'APPROVED'),
);

async function planCapture(db: PoolClient, request: OrderRequest): Promise<PlannedOrder> {
  const { authorization, steps } = await findSteps(db, request);
  const reason = refuseCapture(request, authorization, steps);
  const phone = authorization?.phone ?? '';
  return { plan: reason ? planDecline(reason) : planStep(phone), inherited: { phone } };
}

function refuseCapture(request: OrderRequest, authorization: OrderRow | null, steps: OrderRow[]): PhoneVerdict | null {
  const { merchantId, amount, currency } = request;
  if (authorization?.merchantId !== merchantId) return 'UNKNOWN_AUTHORIZATION';
  if (authorization.status !== 'APPROVED') return 'AUTHORIZATION_NOT_APPROVED';
  if (steps.some(({ status }) => status === 'PENDING')) return 'AUTHORIZATION_BUSY';
  if (steps.length > 0) return 'AUTHORIZATION_CLOSED';
  const isTooHigh = readMinor(amount, currency) > readMinor(authorization.amount, authorization.currency);
  return isTooHigh || currency !== authorization.currency ? 'AMOUNT_TOO_HIGH' : null;
}

async function planVoid(db: PoolClient, request: OrderRequest): Promise<PlannedOrder> {
  if (request.target === 'qrcode') {
    const code = await findCode.first(db, { id: request.parentId });
    return { plan: planStep(''), inherited: { phone: '', reference: code?.reference ?? '' } };
  }
  const { authorization, steps } = await findSteps(db, request);
  const { phone = '', reference = '' } = authorization ?? {};
  const reason = refuseVoid(steps);
  return { plan: reason ? planDecline(reason) : planStep(phone), inherited: { phone, reference } };
}

const findCode = prepared((tables, { id }: { id: string | null }) =>
  tables.selectFrom('qrcodes').select('reference').where('id', '=', id),
);

function refuseVoid(steps: OrderRow[]): PhoneVerdict | null {
  if (steps.some(({ status }) => status === 'PENDING')) return 'AUTHORIZATION_BUSY';
  return steps.some(({ kind }) => kind === 'capture') ? 'ALREADY_CAPTURED' : null;
}

/** Finds an authorization with its captures and voids, approved or pending. */
async function findSteps(db: PoolClient, { id, parentId }: OrderRequest) {
  const rows = await listSteps.all(db, { id, parentId });
  const authorization = rows.find(({ kind }) => kind === 'authorization') ?? null;
  return { authorization, steps: rows.filter(({ kind }) => kind !== 'authorization') };
}

const listSteps = prepared((tables, { id, parentId }: Pick<OrderRequest, 'id' | 'parentId'>) =>
  tables
    .selectFrom('purchases')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('id', '=', parentId), eb('kind', '=', 'authorization')]),
        eb.and([
          eb('parentId', '=', parentId),
          eb('id', '<>', id),
          eb('kind', 'in', ['capture', 'void']),
          eb('verdict', '=', 'APPROVED'),
        ]),
      ]),
    ),
);
