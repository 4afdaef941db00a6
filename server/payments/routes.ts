// The payments API: create, cancel and sync a payment. read.ts has lists and details.
import type { Context } from 'koa';
import { z } from 'zod';
import { GPO_METHODS, isUnknownMethod } from '../../shared/methods.ts';
import { isFinal } from '../../shared/status.ts';
import { actorOf } from '../audit/record.ts';
import type { Core } from '../core.ts';
import { uuidText } from '../http/fields.ts';
import { acceptsOnlyJson, readPrefer, type Keyed } from '../http/idempotency.ts';
import type { Answer, Fault } from '../http/problem.ts';
import { route, type Caller, type Route } from '../http/route.ts';
import { createReferences } from './reference/create.ts';
import type { PaymentWithReference } from './core/entities.ts';
import { findFaults, readCandidate, readPprCreation, type Locate, type PprCreation } from './reference/schemas.ts';
import { cancelPayment } from './cancel.ts';
import { submitAttempt } from './core/submit.ts';
import { createPayment, findOtherFaults } from './create.ts';
import { byId, describeCreated, describePayment, findOwn, image, paymentReads } from './read.ts';
import { resolution, resolvePayment } from './resolve.ts';
import { checkCreation, creationDoc, creationRequest, type GpoCreation } from './schemas.ts';
import { declareReadiness } from './readiness.ts';
import { replacementRoutes } from './replacement.ts';
import { syncPayment } from './core/polling.ts';
import { createdPayment, paymentDetails, viewPair } from './core/view.ts';
import { waitFor } from './core/wait.ts';

const byInternalId = z.object({ internalPaymentId: uuidText.describe('`internalId` of the payment') });
const message = z.object({ message: z.string() });
const EXAMPLE = {
  amount: 1500,
  currency: 'AOA',
  paymentType: 'GPO',
  reference: 'PEDIDO-1',
  metadata: { paymentMethod: 'onetimepurchase', phoneNumber: '923 456 789', custom: { order: 1 } },
};

export function paymentRoutes(core: Core): Route[] {
  return [
    declareCreation(core),
    ...paymentReads(core),
    declareSync(core),
    declareCancel(core),
    declareResolve(core),
    declareReadiness(core),
    ...replacementRoutes(core),
  ];
}

function declareCreation(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/payments',
    operationId: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description:
      'Answers 201 as soon as the payment is committed. A push or a capture goes to the rail after the answer. ' +
      '`Prefer: wait=N` (RFC 7240, at most 100 s) holds the answer until the payment is no longer Processing. A ' +
      '`qrcode` answers 200 with the image. It answers 201 with `qrCode { content, svg }` with `Prefer: ' +
      'return=representation`, or if `Accept` names JSON and neither images nor `*/*`. `paymentType` ' +
      '`PPR` creates a payment reference, as `POST /api/references/ppr` does.',
    access: { kind: 'bearer', scope: 'payments:write' },
    bucket: 'write',
    body: creationRequest,
    bodyDoc: creationDoc,
    checkBody: checkCreation,
    async checkAlso(input, { merchantId }, found) {
      const { paymentType, reference, metadata } = (input ?? {}) as Record<string, unknown>;
      const { expiryDate } = (metadata ?? {}) as Record<string, unknown>;
      if (paymentType !== 'PPR') return findOtherFaults(core, merchantId, input, found);
      return findFaults(core, merchantId, [readCandidate({ reference, expiryDate })], inPayment);
    },
    idempotent: true,
    prefers: 'wait=N holds the answer up to N seconds, at most 100; return=representation: a QR code as JSON',
    example: EXAMPLE,
    refusals: {
      400:
        'Every fault, by field. A single fault has its own code, such as amount_precision, amount_out_of_range, ' +
        'currency_not_supported, method_not_supported, payment_method_unavailable, gpo_id_required, ' +
        'entity_not_assigned, invalid_reference, custom_metadata_not_allowed, invalid_text or nesting_too_deep. ' +
        'Otherwise the code is validation_failed. reference_in_use: the merchant has `uniqueReferences`, and another ' +
        'live or paid GPO payment has this reference',
      409:
        'reference_in_flight (with the first payment’s internalId), authorization_busy, ' +
        'authorization_not_capturable, terminal_closed or idempotency_in_progress',
      503: 'rail_unavailable: the QR code was not made; references_exhausted: no number is free on the entity',
    },
    answers: {
      201: { description: 'Created', schema: createdPayment, headers: { Location: 'The payment' } },
      200: {
        description: 'The QR code; its payment is in the headers Location, Payment-Id and Client-Token',
        contentType: 'image/png',
        schema: image,
        also: ['image/svg+xml'],
        headers: {
          Location: 'The payment',
          'Payment-Id': 'Its internalId',
          'Client-Token': 'What its page is opened with',
        },
      },
    },
    async run({ caller, body, keyed, ctx }) {
      if (body.paymentType === 'PPR') return createByReference(core, caller, body, keyed);
      return { ...(await createGpo(core, { caller, body, keyed, ctx })), warnings: findWarnings(body) };
    },
  });
}

type GpoRequest = { caller: Caller; body: GpoCreation; keyed: Keyed | null; ctx: Context };

async function createGpo(core: Core, { caller, body, keyed, ctx }: GpoRequest): Promise<Answer> {
  const { waitS, ...prefer } = readPrefer(ctx);
  ctx.vary('Accept');
  const wantsRepresentation = prefer.wantsRepresentation || acceptsOnlyJson(ctx);
  const input = { merchantId: caller.merchantId, caller, request: body, keyed, wantsRepresentation };
  const { answer, paymentId, order } = await createPayment(core, input);
  if (order) core.inBackground(submitAttempt(core, order));
  // A repeat shows the current state of the payment. Only a payment in progress can wait for an outcome.
  if (!paymentId || waitS === 0 || !isProcessing(answer)) return answer;
  const look = () => describePayment(core, caller.merchantId, paymentId);
  return waitFor(core, paymentId, { look, isOver: ({ status }) => status !== 'Processing', answer, waitS, ctx });
}

const isProcessing = ({ body }: Answer) => (body as { status?: string }).status === 'Processing';

/** Returns the warning of a misspelt `paymentMethod`, which the API treats as `webframe`. */
function findWarnings({ metadata }: GpoCreation): Fault[] {
  if (!isUnknownMethod(metadata?.paymentMethod)) return [];
  const params = { values: GPO_METHODS.join(', ') };
  return [{ pointer: '/metadata/paymentMethod', code: 'unknown_payment_method', params }];
}

/** Creates the same rows as /api/references/ppr, and returns a payment. Its `id` is the digits of the reference. */
function createByReference(core: Core, caller: Caller, body: PprCreation, keyed: Keyed | null): Promise<Answer> {
  return createReferences(core, {
    merchantId: caller.merchantId,
    caller,
    requests: [readPprCreation(body)],
    contract: 'current',
    keyed,
    locate: inPayment,
    view: ([pair]) => viewPair(core, pair as PaymentWithReference),
    repeat: ([paymentId = '']) => describeCreated(core, paymentId),
  });
}

const inPayment: Locate = (_nth, pointer) => (pointer === '/expiryDate' ? '/metadata/expiryDate' : pointer);

function declareSync(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/payments/{paymentId}/sync',
    operationId: 'syncPayment',
    tag: 'Payments',
    summary: 'Refresh a payment from its provider',
    description: 'With `Prefer: return=representation` the answer also carries `status`.',
    prefers: 'return=representation adds status',
    access: { kind: 'bearer', scope: 'payments:read' },
    bucket: 'read',
    params: byId,
    answers: { 200: { description: 'Refreshed', schema: message.extend({ status: z.string().optional() }) } },
    async run({ caller, params, ctx }) {
      const payment = await findOwn(core, caller.merchantId, params.paymentId);
      await syncPayment(core, payment);
      const { status } = await findOwn(core, caller.merchantId, payment.id);
      const text = isFinal(status) ? `The payment is ${status}.` : `The payment is still ${status}.`;
      const extra = readPrefer(ctx).wantsRepresentation ? { status } : {};
      return { status: 200, body: { message: text, ...extra } };
    },
  });
}

function declareCancel(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/payments/{internalPaymentId}/cancel',
    operationId: 'cancelPayment',
    tag: 'Payments',
    summary: 'Cancel an authorization, or withdraw a pending web frame or QR code',
    description:
      'Voids an Authorized payment at the provider. The answer is 200 also without an outcome, and the void ' +
      'completes later. A payment whose payer switched to a reference answers 409 `payment_replaced` while the new ' +
      'payment (`replacedBy`) can be paid or was paid. Cancel the new payment with this operation too. With `Prefer: ' +
      'return=representation` the answer also has `status`.',
    prefers: 'return=representation adds status',
    access: { kind: 'bearer', scope: 'payments:write' },
    bucket: 'write',
    params: byInternalId,
    idempotent: true,
    refusals: {
      409: 'payment_not_cancelable, payment_replaced (with replacedBy), authorization_busy or idempotency_in_progress',
    },
    answers: { 200: { description: 'Canceled', schema: message.extend({ status: z.string().optional() }) } },
    run({ caller, params, keyed, ctx }) {
      const { wantsRepresentation } = readPrefer(ctx);
      const paymentId = params.internalPaymentId.toLowerCase();
      return cancelPayment(core, { merchantId: caller.merchantId, paymentId, caller, keyed, wantsRepresentation });
    },
  });
}

function declareResolve(core: Core): Route {
  return route({
    method: 'POST',
    path: '/api/payments/{internalPaymentId}/resolve',
    operationId: 'resolvePayment',
    tag: 'Payments',
    summary: 'Resolve the odd money of a payment',
    description:
      'For a payment with `attention`: a person has decided about the money and says so in a note. The payment then ' +
      'has `attention: null` and `resolvedAt`, and the history has the event `payment.resolved`. The money does not ' +
      'change. Later odd money needs attention again. With `If-Match` and the `ETag` of the payment that you read, ' +
      'money that arrived since then is refused with 412 and not resolved unseen.',
    access: { kind: 'bearer', scope: 'payments:write' },
    bucket: 'write',
    params: byInternalId,
    body: resolution,
    idempotent: true,
    tagged: true,
    example: { note: 'O cliente levou mais um pano pelo dinheiro a mais.' },
    refusals: { 409: 'nothing_to_resolve or idempotency_in_progress' },
    answers: { 200: { description: 'The payment', schema: paymentDetails } },
    run({ caller, params, body: { note }, keyed, ifMatch, address }) {
      const paymentId = params.internalPaymentId.toLowerCase();
      const by = { actor: actorOf(caller, address), ifMatch, keyed };
      return resolvePayment(core, { merchantId: caller.merchantId, paymentId, note, ...by });
    },
  });
}
