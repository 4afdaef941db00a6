// What a creation asks for becomes a payment: ids, amount, times, and the faults that only the merchant's settings show.
import { v7 as uuid } from 'uuid';
import { gpoMethodOf } from '../../shared/methods.ts';
import { toMinor } from '../../shared/money.ts';
import { normalizePhone } from '../../shared/phone.ts';
import type { Core } from '../core.ts';
import { invalid, type Fault } from '../http/problem.ts';
import type { Merchant } from '../merchants/entities.ts';
import { GPO_CURRENCIES } from '../providers/registry.ts';
import type { Payment } from './entities.ts';
import { methodOf } from './methods/registry.ts';
import { qrOptions, type GpoCreation } from './schemas.ts';
import { FIRST_STATUS } from './states.ts';

/**
 * A payment as the merchant asks for it, not yet written; a capture's authorization is looked up when it is.
 * @throws Problem 400 for amounts, GPO ids, currencies, origins and end dates that cannot be
 */
export function buildPayment(core: Core, merchant: Merchant, request: GpoCreation): Payment {
  const metadata = request.metadata ?? {};
  const method = methodOf({ paymentMethod: gpoMethodOf(metadata.paymentMethod) });
  const amount = toMinor(request.amount, request.currency);
  if ('fault' in amount) throw invalid([{ pointer: '/amount', code: amount.fault }]);
  const ids = chooseGpoIds(merchant, metadata);
  const createdAt = core.clock.now();
  const qr = method.name === 'qrcode' ? qrOptions.parse(metadata) : null;
  const endDate = qr?.endDate ?? null;
  const faults = [
    ...checkCurrency(core, request.currency, GPO_CURRENCIES),
    ...ids.faults,
    ...checkOrigins(merchant, metadata),
    ...checkEnd(endDate, createdAt),
  ];
  if (faults.length > 0) throw invalid(faults);
  const expiresAt = method.expiresAt(createdAt, { expiresInMinutes: metadata.expiresInMinutes, endDate });
  return makePayment({
    merchantId: merchant.id,
    reference: request.reference,
    amountMinor: amount.minor,
    currency: request.currency,
    paymentType: 'GPO',
    paymentMethod: method.name,
    description: metadata.description ?? request.description ?? null,
    customMetadata: metadata.custom ? JSON.stringify(metadata.custom) : null,
    phone: method.start === 'push' ? normalizePhone(metadata.phoneNumber ?? '') : null,
    provider: typeof metadata.provider === 'string' ? metadata.provider : null,
    gpoMerchantId: ids.gpoMerchantId,
    gpoPosId: ids.gpoPosId,
    returnUrl: metadata.returnUrl ?? null,
    cancelUrl: metadata.cancelUrl ?? null,
    allowReferenceFallback: method.name === 'webframe' && metadata.allowReferenceFallback === true,
    authorizationId: method.name === 'capture' ? (metadata.authorizationId?.toLowerCase() ?? null) : null,
    qrSize: qr?.qrSize ?? null,
    qrType: qr?.qrType ?? null,
    maxTransactions: qr?.maxTransactions ?? null,
    attemptsMade: method.start === 'push' ? 1 : 0,
    createdAt,
    expiresAt,
    dueAt: expiresAt,
  });
}

type Given = Pick<Payment, 'merchantId' | 'reference' | 'amountMinor' | 'currency' | 'paymentType' | 'paymentMethod'> &
  Pick<Payment, 'createdAt'>;

/** A payment in its method's first status, with what is given; everything else is as nothing has happened yet. */
export function makePayment(given: Given & Partial<Payment>): Payment {
  return {
    id: uuid(),
    status: FIRST_STATUS[methodOf(given).start],
    revision: 1,
    description: null,
    customMetadata: null,
    phone: null,
    provider: null,
    gpoMerchantId: null,
    gpoPosId: null,
    returnUrl: null,
    cancelUrl: null,
    allowReferenceFallback: false,
    replacedById: null,
    replacesId: null,
    authorizationId: null,
    authorizedMinor: null,
    capturedMinor: null,
    operation: null,
    operationId: null,
    qrContent: null,
    qrSize: null,
    qrType: null,
    maxTransactions: null,
    acceptedCount: 0,
    late: false,
    amountPaidMinor: 0,
    flags: [],
    failureCode: null,
    attemptsMade: 0,
    completedAt: null,
    expiresAt: null,
    dueAt: null,
    dueCount: 0,
    referenceClaim: null,
    ...given,
  };
}

type Metadata = NonNullable<GpoCreation['metadata']>;
type GpoIds = { gpoMerchantId: string | null; gpoPosId: string | null; faults: Fault[] };

/** The request's GPO ids if they are the merchant's own, else the first assigned ones (interface.md "GPO metadata"). */
function chooseGpoIds(merchant: Merchant, metadata: Metadata): GpoIds {
  const choose = (
    name: 'gpo_merchant_id' | 'gpo_pos_id',
    assigned: string[],
  ): { id: string | null; faults: Fault[] } => {
    const id = metadata[name] || assigned[0] || null;
    if (id !== null && assigned.includes(id)) return { id, faults: [] };
    return {
      id,
      faults: [{ pointer: `/metadata/${name}`, code: id === null ? 'gpo_id_required' : 'gpo_id_not_assigned' }],
    };
  };
  const owner = choose('gpo_merchant_id', merchant.gpoMerchantIds);
  const pos = choose('gpo_pos_id', merchant.gpoPosIds);
  return { gpoMerchantId: owner.id, gpoPosId: pos.id, faults: [...owner.faults, ...pos.faults] };
}

/** What a production rail takes; the sandbox takes any well-formed code (decisions §3). */
export function checkCurrency(core: Pick<Core, 'config'>, currency: string, known: readonly string[]): Fault[] {
  if (core.config.isSandbox || known.includes(currency)) return [];
  return [{ pointer: '/currency', code: 'currency_not_supported' }];
}

/** returnUrl and cancelUrl may lead only to origins the merchant registered (decisions §11). */
export function checkOrigins(
  merchant: Merchant,
  metadata: { returnUrl?: string | null | undefined; cancelUrl?: string | null | undefined },
): Fault[] {
  return (['returnUrl', 'cancelUrl'] as const).flatMap((name): Fault[] => {
    const url = metadata[name];
    if (!url || merchant.returnOrigins.includes(new URL(url).origin)) return [];
    return [{ pointer: `/metadata/${name}`, code: 'origin_not_registered' }];
  });
}

const YEAR_MS = 366 * 24 * 3_600_000;

/** A code's end lies ahead, one year at most (decisions §3). */
function checkEnd(endDate: Date | null, now: Date): Fault[] {
  if (!endDate) return [];
  const aheadMs = endDate.getTime() - now.getTime();
  const pointer = '/metadata/endDate';
  if (aheadMs <= 0) return [{ pointer, code: 'date_in_past' }];
  return aheadMs > YEAR_MS ? [{ pointer, code: 'date_too_far' }] : [];
}
