// Schemas of the requests that the rails accept (docs/rail.md).
import { z } from 'zod';
import { toDecimal, toMinor } from '../../shared/money.ts';
import type { MessageRequest } from './messages.ts';
import type { OrderRequest } from './plans.ts';
import type { ReferenceRequest } from './references.ts';

const text = z.string().regex(/^[^\0]{1,64}$/);

// `abort`: the check of the amount needs a valid currency.
const currency = z.string().regex(/^[A-Z]{3}$/, { abort: true });

const description = z
  .string()
  .regex(/^[^\0]*$/)
  .nullish()
  .transform((value) => value ?? null);

const money = z.object({
  id: z.uuid(),
  merchantId: text,
  terminalId: text,
  reference: z.string().regex(/^[A-Za-z0-9-]{1,15}$/),
  amount: z.string(),
  currency,
  description,
});

const AMOUNT_FAULT = {
  path: ['amount'],
  message: 'must be above zero, as text with exactly the decimals of its currency',
};

function isAmount({ amount, currency }: { amount: string; currency: string }): boolean {
  const read = toMinor(amount, currency);
  return 'minor' in read && read.minor > 0 && toDecimal(read.minor, currency) === amount;
}

const push = money
  .extend({
    phone: z.string().regex(/^\+2449\d{8}$/),
    ours: z
      .record(z.string().max(64), text)
      .nullish()
      .transform((kept) => (kept ? JSON.stringify(kept) : null)),
  })
  .refine(isAmount, AMOUNT_FAULT);

const capture = money.extend({ authorizationId: z.uuid() }).refine(isAmount, AMOUNT_FAULT);

const voiding = z.object({
  id: z.uuid(),
  merchantId: text,
  target: z.enum(['authorization', 'qrcode']),
  targetId: z.uuid(),
});

const refund = z
  .object({ id: z.uuid(), merchantId: text.nullish(), transactionId: text, amount: z.string(), currency, description })
  .refine(isAmount, AMOUNT_FAULT);

/** Default values for the texts that a kind of order does not have. */
const BARE = { terminalId: '', reference: '', phone: '', amount: '0', currency: '', description: null, ours: null };
const NO_PARENT = { parentId: null, target: null, ours: null };

/** Schemas of order requests by kind. Each schema returns the same shape. */
export const ORDER_REQUESTS = {
  purchase: push.transform((order): OrderRequest => ({ ...NO_PARENT, ...order, kind: 'purchase' })),
  authorization: push.transform((order): OrderRequest => ({ ...order, ...NO_PARENT, kind: 'authorization' })),
  capture: capture.transform(({ authorizationId: parentId, ...order }): OrderRequest => ({
    ...BARE,
    ...order,
    kind: 'capture',
    parentId,
    target: null,
  })),
  void: voiding.transform(({ targetId: parentId, ...order }): OrderRequest => ({
    ...BARE,
    ...order,
    kind: 'void',
    parentId,
  })),
} as const;

/** The schema of a refund's request. The URL names the rail. */
export const refundRequest = refund.transform(
  ({ transactionId: parentId, merchantId, ...order }): Omit<OrderRequest, 'target'> => ({
    ...BARE,
    ...order,
    kind: 'refund',
    merchantId: merchantId ?? '',
    parentId,
  }),
);

export const qrRequest = money
  .extend({
    type: z.enum(['STATIC', 'DYNAMIC']),
    maxTransactions: z.number().int().min(1).max(10_000),
    endDate: z.iso.datetime().transform((time) => new Date(time)),
  })
  .refine(isAmount, AMOUNT_FAULT);

export const terminalMove = z.object({
  id: z.uuid(),
  supervisorId: z
    .string()
    .nullish()
    .transform((value) => value || null),
});

/** The schema of a reference's registration. The URL contains the reference's id. */
export const referenceRequest = z
  .object({
    entity: z.string().regex(/^\d{5}$/),
    reference: z.string().regex(/^\d{9,15}$/),
    type: z.enum(['DYNAMIC', 'CHARGING']),
    amount: z.string().nullable(),
    currency,
    description,
    expiresAt: z.iso.datetime().transform((time) => new Date(time)),
  })
  .refine(({ amount, ...rest }) => (amount === null ? rest.type === 'CHARGING' : isAmount({ amount, ...rest })), {
    path: ['amount'],
    message: `${AMOUNT_FAULT.message}, or null where the payer of a CHARGING reference chooses`,
  })
  .transform((reference): Omit<ReferenceRequest, 'id'> => reference);

/** The schema of an SMS request: one phone, and ten parts at most. */
export const messageRequest = z
  .object({
    id: z.uuid(),
    sender: z.string().regex(/^[A-Za-z0-9]{1,11}$/),
    to: z.string().regex(/^\+2449\d{8}$/),
    text: z.string().regex(/^[^\0]{1,1530}$/),
  })
  .transform((message): MessageRequest => message);

export const messageReply = z.object({ text: z.string().regex(/^[^\0]{1,1530}$/) });
