// The references API: create, read and cancel payment references.
import { z } from 'zod';
import type { Core } from '../../core.ts';
import { repeatLost } from '../../database/unavailable.ts';
import type { Db } from '../../database/db.ts';
import { inTransaction, repeatOnDuplicate } from '../../database/orm.ts';
import { MAX_BYTES } from '../../http/body.ts';
import { findStored, paymentIdsOf, replay, storeKey, type Keyed, type StoredAnswer } from '../../http/idempotency.ts';
import { Problem, type Answer } from '../../http/problem.ts';
import { route, type Route } from '../../http/route.ts';
import { cancelerOf, type Actor } from '../core/creator.ts';
import { createReferences } from './create.ts';
import { NOT_WITHDRAWABLE, type PaymentWithReference, type ReferenceContract } from '../core/entities.ts';
import { findOwnReference, findPairs, lockPair } from './find.ts';
import { byReference, pprReference, referenceReads, viewReference } from './read.ts';
import { syncRegistration } from './registration.ts';
import {
  bulkCreation,
  checkBulk,
  checkSingle,
  findFaults,
  readCandidate,
  readReferenceCreation,
  referenceCreation,
  type Locate,
} from './schemas.ts';
import { closeReference } from './states.ts';

const about = { tag: 'References', access: { kind: 'bearer', scope: 'references:write' }, bucket: 'write' } as const;

const EXAMPLE = {
  amount: 15000,
  referenceType: 'Dynamic',
  description: 'Matrícula 2027',
  customMetadata: { student: 7 },
};

const REFUSALS = { 503: 'references_exhausted: no number is free on the entity' };

export function referenceRoutes(core: Core): Route[] {
  return [
    declareCreation(core, 'current'),
    declareCreation(core, 'legacy'),
    declareBulk(core),
    ...referenceReads(core),
    declareCancel(core),
  ];
}

const CREATIONS = {
  current: {
    path: '/api/references/ppr',
    operationId: 'createReference',
    summary: 'Create a payment reference',
  },
  legacy: {
    path: '/api/references/ppr/legacy',
    operationId: 'createLegacyReference',
    summary: 'Create a payment reference under the legacy contract',
  },
} as const satisfies Record<ReferenceContract, object>;

function declareCreation(core: Core, contract: ReferenceContract): Route {
  return route({
    ...about,
    ...CREATIONS[contract],
    method: 'POST',
    description:
      'Answers 201 once the reference is committed. The gateway registers it at the provider after the answer. ' +
      `It can be paid from \`registeredAt\` on.${contract === 'legacy' ? ' Its payments cause no callback.' : ''}`,
    body: referenceCreation,
    checkBody: checkSingle,
    checkAlso: (input, { merchantId }) => findFaults(core, merchantId, [readCandidate(input)], atRoot),
    idempotent: true,
    example: EXAMPLE,
    refusals: REFUSALS,
    answers: { 201: { description: 'Created', schema: pprReference } },
    run({ caller, body, keyed }) {
      return createReferences(core, {
        merchantId: caller.merchantId,
        caller,
        requests: [readReferenceCreation(body)],
        keyed,
        contract,
        locate: atRoot,
        view: ([pair]) => viewReference(core, pair as NonNullable<typeof pair>),
      });
    },
  });
}

function declareBulk(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/references/ppr/bulk',
    operationId: 'createReferences',
    summary: 'Create 1 to 500 payment references, all or none',
    description: 'One transaction. When any item is wrong nothing is created, and every fault of every item is named.',
    body: bulkCreation,
    maxBytes: MAX_BYTES,
    // The most faults of a response: every field of 500 items may be invalid.
    maxFaults: 4_500,
    checkBody: checkBulk,
    async checkAlso(input, { merchantId }) {
      const { references: items } = (input ?? {}) as { references?: unknown };
      return Array.isArray(items) ? findFaults(core, merchantId, items.map(readCandidate), atItem) : [];
    },
    idempotent: true,
    example: { references: [EXAMPLE, { referenceType: 'Charging', description: 'Quotas' }] },
    refusals: { ...REFUSALS, 413: 'too_many_references; a body larger than 1024 KiB, or of more than 20000 values' },
    answers: {
      201: { description: 'Created, in the order of the request', schema: z.object({ data: z.array(pprReference) }) },
    },
    run({ caller, body, keyed }) {
      return createReferences(core, {
        merchantId: caller.merchantId,
        caller,
        requests: body.references.map(readReferenceCreation),
        keyed,
        contract: 'current',
        locate: atItem,
        view: (pairs) => ({ data: pairs.map((pair) => viewReference(core, pair)) }),
      });
    },
  });
}

const atRoot: Locate = (_nth, pointer) => pointer;
const atItem: Locate = (nth, pointer) => `/references/${nth}${pointer}`;

function declareCancel(core: Core): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/references/ppr/{pprReference}/cancel',
    operationId: 'cancelReference',
    summary: 'Cancel a payment reference',
    description:
      'It cannot be paid any more, or from `payableUntil` on if the provider cannot withdraw it. Then its digits are ' +
      'free. The gateway records later money as `late`. A Charging reference may be canceled after payments.',
    params: byReference,
    idempotent: true,
    refusals: { 409: 'reference_not_cancelable: paid or expired; idempotency_in_progress' },
    answers: { 200: { description: 'Canceled', schema: pprReference } },
    run: ({ caller, params, keyed }) =>
      cancelReference(core, { merchantId: caller.merchantId, caller, digits: params.pprReference, keyed }),
  });
}

type ReferenceCancellation = { merchantId: string; caller: Actor; digits: string; keyed: Keyed | null };

/**
 * Cancels the merchant's newest reference with these digits. A repeat changes nothing.
 * A Charging reference keeps the payments that it has received.
 * @throws Problem not_found, reference_not_cancelable, idempotency_key_reused
 */
async function cancelReference(core: Core, input: ReferenceCancellation): Promise<Answer> {
  const { reference } = await findOwnReference(core, input.merchantId, input.digits);
  // A concurrent request may commit the same idempotency key. Then the second run finds its stored response.
  const record = () =>
    repeatOnDuplicate(() => inTransaction(core, (db) => recordCancellation(core, db, input, reference.id)));
  const recorded = await repeatLost(record);
  if ('stored' in recorded) {
    const [pair] = await findPairs(core, paymentIdsOf(recorded.stored));
    return { ...replay(recorded.stored, input.keyed as Keyed), body: pair ? await viewCanceled(core, pair) : null };
  }
  if (recorded.isNew) {
    core.changes.publish(`payment:${recorded.pair.payment.id}`);
    core.inBackground(syncRegistration(core, reference.id));
  }
  return { status: 200, body: await viewCanceled(core, recorded.pair) };
}

/** The stored response of a repeat, or the canceled reference. */
type RecordedCancellation = { stored: StoredAnswer } | { pair: PaymentWithReference; isNew: boolean };

async function recordCancellation(
  core: Core,
  db: Db,
  input: ReferenceCancellation,
  id: string,
): Promise<RecordedCancellation> {
  const { merchantId, keyed } = input;
  const pair = (await lockPair(db, id)) as PaymentWithReference;
  const stored = keyed && (await findStored.first(db, { merchantId, key: keyed.key }));
  if (stored) return { stored };
  const { status } = pair.reference;
  if (status === 'Paid' || status === 'Expired') throw new Problem('reference_not_cancelable');
  const at = core.clock.now();
  const isNew = status === 'Pending';
  if (isNew) await closeReference(core, db, pair, 'cancel', { at, by: cancelerOf(input.caller) });
  await storeKey(db, input, { status: 200, body: null, paymentId: pair.payment.id }, at);
  return { pair: isNew ? ((await lockPair(db, id)) as PaymentWithReference) : pair, isNew };
}

/** If the rail cannot withdraw the reference, the result of the withdrawal is known before the call. */
async function viewCanceled(core: Core, { payment, reference }: PaymentWithReference): Promise<object> {
  const isFixed = (await core.rails.can(reference.rail, 'ppr'))?.withdraw === false;
  const railFault = isFixed ? NOT_WITHDRAWABLE : (reference.railFault ?? null);
  return viewReference(core, { payment, reference: { ...reference, railFault } });
}
