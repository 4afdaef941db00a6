// The references API (interface.md "PPR references"): creating, one by one or many, listing, reading, canceling.
import { z } from 'zod';
import type { Core } from '../../core.ts';
import { route, type Route } from '../../http/route.ts';
import type { PprRail } from '../../providers/provider.ts';
import { cancelReference } from './cancel.ts';
import { createReferences } from './create.ts';
import type { ReferenceContract } from '../entities.ts';
import { findFaults, type Locate } from './faults.ts';
import { byReference, referenceReads } from './read.ts';
import {
  bulkCreation,
  checkBulk,
  checkSingle,
  readCandidate,
  readReferenceCreation,
  referenceCreation,
} from './schemas.ts';
import { pprReference, viewReference } from './view.ts';

const about = { tag: 'References', access: { kind: 'bearer', scope: 'references:write' }, bucket: 'write' } as const;

const EXAMPLE = {
  amount: 15000,
  referenceType: 'Dynamic',
  description: 'Matrícula 2027',
  customMetadata: { student: 7 },
};

const REFUSALS = { 503: 'references_exhausted: no number is free on the entity' };

export function referenceRoutes(core: Core, rail: PprRail | null): Route[] {
  return [
    declareCreation(core, rail, 'current'),
    declareCreation(core, rail, 'legacy'),
    declareBulk(core, rail),
    ...referenceReads(core),
    declareCancel(core, rail),
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

function declareCreation(core: Core, rail: PprRail | null, contract: ReferenceContract): Route {
  return route({
    ...about,
    ...CREATIONS[contract],
    method: 'POST',
    description: `Answers 201 once it is committed; the provider is told after, and \`registeredAt\` says since when it can be paid.${
      contract === 'legacy' ? ' Its payments bring no callback.' : ''
    }`,
    body: referenceCreation,
    checkBody: checkSingle,
    checkAlso: (input, { merchantId }) => findFaults(core, merchantId, [readCandidate(input)], atRoot),
    idempotent: true,
    example: EXAMPLE,
    refusals: REFUSALS,
    answers: { 201: { description: 'Created', schema: pprReference } },
    run({ caller, body, keyed }) {
      return createReferences(core, rail, {
        merchantId: caller.merchantId,
        requests: [readReferenceCreation(body)],
        keyed,
        contract,
        locate: atRoot,
        view: ([pair]) => viewReference(core, pair as NonNullable<typeof pair>),
      });
    },
  });
}

function declareBulk(core: Core, rail: PprRail | null): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/references/ppr/bulk',
    operationId: 'createReferences',
    summary: 'Create 1 to 500 payment references, all or none',
    description: 'One transaction. When any item is wrong nothing is created, and every fault of every item is named.',
    body: bulkCreation,
    // Every field of 500 items may be wrong.
    maxFaults: 4_500,
    checkBody: checkBulk,
    async checkAlso(input, { merchantId }) {
      const { references: items } = (input ?? {}) as { references?: unknown };
      return Array.isArray(items) ? findFaults(core, merchantId, items.map(readCandidate), atItem) : [];
    },
    idempotent: true,
    example: { references: [EXAMPLE, { referenceType: 'Charging', description: 'Quotas' }] },
    refusals: { ...REFUSALS, 413: 'too_many_references, or a body larger than 1 MiB' },
    answers: { 201: { description: 'Created, in the order asked', schema: z.object({ data: z.array(pprReference) }) } },
    run({ caller, body, keyed }) {
      return createReferences(core, rail, {
        merchantId: caller.merchantId,
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

function declareCancel(core: Core, rail: PprRail | null): Route {
  return route({
    ...about,
    method: 'POST',
    path: '/api/references/ppr/{pprReference}/cancel',
    operationId: 'cancelReference',
    summary: 'Cancel a payment reference',
    description:
      'It cannot be paid from now on, and its digits may be used again. Money that comes all the same is recorded, `late`. A Charging reference may be canceled after payments.',
    params: byReference,
    idempotent: true,
    refusals: { 409: 'reference_not_cancelable: paid or expired; idempotency_in_progress' },
    answers: { 200: { description: 'Canceled', schema: pprReference } },
    run: ({ caller, params, keyed }) =>
      cancelReference(core, rail, { merchantId: caller.merchantId, digits: params.pprReference, keyed }),
  });
}
