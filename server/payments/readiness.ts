// Tells which payment methods a merchant can charge now, by the rules that refuse a payment.
import { z } from 'zod';
import { WAYS, type Way } from '../../shared/ways.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import type { Fault } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import type { Merchant } from '../merchants/entities.ts';
import { byMerchant, findMerchant, requireOwn } from '../merchants/find.ts';
import { choosePpr } from '../rails/choose.ts';
import { connectGpo } from './create.ts';

const ANY_AMOUNT = { amountMinor: null, currency: 'AOA' };

/** The faults that refuse a payment of any amount by each method. */
const FAULTS: Record<Way, (core: Core, merchant: Merchant) => Fault[]> = {
  push: (core, merchant) => faultsByGpo(core, merchant, 'purchase'),
  qrcode: (core, merchant) => faultsByGpo(core, merchant, 'qrcode'),
  reference: (core, merchant) => choosePpr(core, merchant, { ...ANY_AMOUNT, isCharging: false }).faults,
};

function faultsByGpo(core: Core, merchant: Merchant, method: 'purchase' | 'qrcode'): Fault[] {
  const { faults, wrongIds } = connectGpo(core, merchant, { ...ANY_AMOUNT, method });
  return [...faults, ...wrongIds];
}

export type Readiness = z.output<typeof readiness>;

/** Returns what the merchant can charge now, and whether it has received money. */
export async function readPaymentReadiness(core: Core, merchantId: string): Promise<Readiness> {
  const merchant = await findMerchant(core, merchantId);
  const methods = WAYS.map((method) => {
    const obstacles = [...new Set(FAULTS[method](core, merchant).map(({ code }) => code))];
    const isOffered = merchant.checkoutMethods.includes(method);
    return { method, canCharge: obstacles.length === 0, obstacles, isOffered };
  });
  return { methods, hasReceivedMoney: (await findMoney.first(core, { merchantId })) !== null };
}

const findMoney = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables.selectFrom('transactions').select('id').where('merchantId', '=', merchantId).limit(1),
);

const readiness = z
  .object({
    methods: z
      .array(
        z.object({
          method: z.enum(WAYS),
          canCharge: z.boolean().describe('True if a payment by this method would be accepted now'),
          obstacles: z
            .array(z.string())
            .describe('Problem codes that refuse a payment, such as `gpo_id_required`; empty: it can be charged'),
          isOffered: z.boolean().describe('True if `checkoutMethods` of the merchant has this method'),
        }),
      )
      .describe('Each payment method, also one that the merchant does not offer'),
    hasReceivedMoney: z.boolean().describe('True once the merchant has received a first payment'),
  })
  .meta({ id: 'PaymentMethods' });

export function declareReadiness(core: Core): Route {
  return route({
    method: 'GET',
    path: '/api/merchants/{merchantId}/payment-methods',
    operationId: 'readPaymentMethods',
    tag: 'Merchants',
    summary: 'Read which payment methods your merchant can charge now',
    description:
      'The same rules decide as at the creation of a payment. `obstacles` are the codes that it would answer. ' +
      'A method without an account or ids needs a rail account (`POST …/rail-accounts`) or the operator.',
    params: byMerchant,
    access: { kind: 'bearer', scope: 'merchant:read' },
    bucket: 'read',
    answers: { 200: { description: 'The payment methods', schema: readiness } },
    async run({ caller, params }) {
      requireOwn(caller, params);
      return { status: 200, body: await readPaymentReadiness(core, caller.merchantId) };
    },
  });
}
