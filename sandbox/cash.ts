// The simulated rail's payment references as a cash machine meets them: what one asks for, and paying it.
import { z } from 'zod';
import { showMoney, toReceivedMinor } from '../shared/money.ts';
import type { BillView, CashChannel, CashFault, SlipView } from '../shared/sandbox.ts';
import { callRail, type RailOptions } from './rail.ts';
import { readAnswer, RemoteError, type RemoteAnswer } from './remote.ts';

/** Why the rail would not take a payment; `other_amount`: it asks for another one. */
export type CashRefusal = 'unknown' | 'other_amount' | Exclude<BillView['state'], 'open'>;

export type CashOrder = {
  entity: string;
  reference: string;
  /** Decimal text; null pays what is asked. */
  amount: string | null;
  channel: CashChannel;
  fault: CashFault | null;
};

export type RailCash = {
  /** What a reference asks for; null when the rail does not know it. */
  readBill(entity: string, reference: string): Promise<BillView | null>;
  /** Pays a reference: one slip, or more where a fault was ordered. */
  payBill(order: CashOrder): Promise<SlipView[] | CashRefusal>;
  /** The slip of a payment made before; null when there is none. */
  findSlip(transactionId: string): Promise<SlipView | null>;
};

const billSchema = z.object({
  entity: z.string(),
  reference: z.string(),
  amount: z.string().nullish(),
  currency: z.string(),
  description: z.string().nullish(),
  status: z.enum(['ACTIVE', 'PAID', 'EXPIRED', 'WITHDRAWN']),
});

const word = z.union([z.string(), z.number()]).transform(String);

const slipSchema = z.object({
  // Up to 18 digits: a number would have lost some by now.
  transactionId: z.string(),
  entity: z.string(),
  reference: z.string(),
  amount: z.string(),
  currency: z.string(),
  paidAt: z.string(),
  period: word,
  number: word,
  terminal: z.object({ type: z.string(), id: z.string(), location: z.string() }),
});

const slipsSchema = z.object({ payments: z.array(slipSchema).min(1) });
const refusalSchema = z.object({ code: z.string() });

/** The rail's words. */
const STATES = { ACTIVE: 'open', PAID: 'paid', EXPIRED: 'expired', WITHDRAWN: 'withdrawn' } as const;

const REFUSALS: Record<string, CashRefusal> = {
  UNKNOWN_REFERENCE: 'unknown',
  WRONG_AMOUNT: 'other_amount',
  REFERENCE_PAID: 'paid',
  REFERENCE_EXPIRED: 'expired',
  REFERENCE_WITHDRAWN: 'withdrawn',
};

/** The demo merchant's (decisions §10). */
export const DEMO_ENTITY = '00999';

/** A rail shows payers whose the entity is, from a register that the simulator has not. */
const ENTITIES: Record<string, string> = { [DEMO_ENTITY]: 'Loja da Ilha' };

export function connectCash(options: RailOptions): RailCash {
  const post = (path: string, body: object) => callRail(options, 'POST', path, body);
  return {
    async readBill(entity, reference) {
      const answer = await post('/atm/read', { entity, reference });
      return answer.status === 404 ? null : viewBill(readAnswer(answer, billSchema));
    },
    async payBill({ fault, ...order }) {
      const answer = await post('/atm/payments', { ...order, ...(fault && { fault }) });
      return refusalOf(answer) ?? readAnswer(answer, slipsSchema).payments.map(viewSlip);
    },
    async findSlip(transactionId) {
      const answer = await callRail(options, 'GET', `/atm/payments/${encodeURIComponent(transactionId)}`);
      return answer.status === 404 ? null : viewSlip(readAnswer(answer, slipSchema));
    },
  };
}

/** The rail understood and says no; null when it took the money. @throws RemoteError for a reason we do not know */
function refusalOf({ status, body }: RemoteAnswer): CashRefusal | null {
  if (![400, 404, 409].includes(status)) return null;
  const refusal = REFUSALS[refusalSchema.safeParse(body).data?.code ?? ''];
  if (!refusal) throw new RemoteError('refused a payment for a reason we do not know');
  return refusal;
}

function viewBill(bill: z.output<typeof billSchema>): BillView {
  const { entity, reference, currency, description = null, amount = null } = bill;
  return {
    state: STATES[bill.status],
    entity,
    reference,
    merchant: ENTITIES[entity] ?? null,
    description,
    amount,
    amountText: amount === null ? null : showAmount(amount, currency),
    currency,
  };
}

function viewSlip(slip: z.output<typeof slipSchema>): SlipView {
  return {
    ...slip,
    merchant: ENTITIES[slip.entity] ?? null,
    amountText: showAmount(slip.amount, slip.currency),
  };
}

function showAmount(amount: string, currency: string): string {
  const read = toReceivedMinor(amount, currency);
  return 'minor' in read ? showMoney(read.minor, currency) : `${amount} ${currency}`;
}
