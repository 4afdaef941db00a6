// Client of the simulated rail's payment references: reads and pays a reference like a cash machine.
import { z } from 'zod';
import { showMoney, toReceivedMinor } from '../shared/money.ts';
import type { BillView, CashChannel, CashFault, SlipView } from '../shared/sandbox.ts';
import { callRail, type RailOptions } from './rail.ts';
import { readAnswer, RemoteError, type RemoteAnswer } from './remote.ts';

/** The reason why the rail refused a payment. `other_amount`: the reference has a different fixed amount. */
export type CashRefusal = 'unknown' | 'other_amount' | Exclude<BillView['state'], 'open'>;

export type CashOrder = {
  entity: string;
  reference: string;
  /** The amount as decimal text. Null pays the reference's fixed amount. */
  amount: string | null;
  channel: CashChannel;
  fault: CashFault | null;
};

export type RailCash = {
  /** Reads a reference's amount and state. Null if the rail does not know the reference. */
  readBill(entity: string, reference: string): Promise<BillView | null>;
  /** Pays a reference. Returns one slip, or several if the payment has an ordered fault. */
  payBill(order: CashOrder): Promise<SlipView[] | CashRefusal>;
  /** Finds the slip of an earlier payment. Null if that slip does not exist. */
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

const textOrNumber = z.union([z.string(), z.number()]).transform(String);

const slipSchema = z.object({
  // The transaction id has up to 18 digits, too many for a JavaScript number.
  transactionId: z.string(),
  entity: z.string(),
  reference: z.string(),
  amount: z.string(),
  currency: z.string(),
  paidAt: z.string(),
  period: textOrNumber,
  number: textOrNumber,
  terminal: z.object({ type: z.string(), id: z.string(), location: z.string() }),
});

const slipsSchema = z.object({ payments: z.array(slipSchema).min(1) });
const refusalSchema = z.object({ code: z.string() });

/** The reference's states, by the names of the rail. */
const STATES = { ACTIVE: 'open', PAID: 'paid', EXPIRED: 'expired', WITHDRAWN: 'withdrawn' } as const;

const REFUSALS: Record<string, CashRefusal> = {
  UNKNOWN_REFERENCE: 'unknown',
  WRONG_AMOUNT: 'other_amount',
  REFERENCE_PAID: 'paid',
  REFERENCE_EXPIRED: 'expired',
  REFERENCE_WITHDRAWN: 'withdrawn',
};

/** The PPR entity of the demo merchant. */
export const DEMO_ENTITY = '00999';

/**
 * Real rails show the name of a PPR entity to payers.
 * The simulator has no list of PPR entities, so the demo entity's name is fixed here.
 */
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

/** The reason of a refusal, or null if the rail took the money. @throws RemoteError for an unknown refusal code */
function refusalOf({ status, body }: RemoteAnswer): CashRefusal | null {
  if (![400, 404, 409].includes(status)) return null;
  const refusal = REFUSALS[refusalSchema.safeParse(body).data?.code ?? ''];
  if (!refusal) throw new RemoteError('refused a payment with an unknown code');
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
