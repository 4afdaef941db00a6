// One person's data at a merchant: what is held of them, and its erasure.
import { z } from 'zod';
import { dayOf } from '../../shared/luanda.ts';
import type { Core } from '../core.ts';
import { actorOf, recordAudit } from '../audit/record.ts';
import type { Exports } from '../exports/send.ts';
import { UUID } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Erasure } from './entities.ts';
import { erasureAnswer, orderErasure, viewErasure } from './erasures.ts';
import { writeExport } from './export.ts';
import { checkSubject, subjectOf, subjectRequest } from './subject.ts';

const CALL = {
  tag: 'Privacy',
  access: { kind: 'bearer', scope: 'privacy' },
} as const;

const ASKED = {
  ...CALL,
  method: 'POST',
  bucket: 'write',
  body: subjectRequest,
  checkBody: checkSubject,
  example: { phone: '923 456 789' },
} as const;

/** What is held: a document of its own, as its rows are whatever the tables have. */
const held = z
  .object({
    subject: z.object({ phone: z.string().optional(), email: z.string().optional() }),
    merchantId: z.uuid(),
    takenAt: z.iso.datetime(),
    columns: z
      .record(z.string(), z.record(z.string(), z.object({ purpose: z.string(), kept: z.string() })))
      .describe('What each column is held for, and how long: a setting in days, or what ends it'),
    held: z.array(z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) })),
  })
  .meta({ id: 'PersonalData' });

export function privacyRoutes(core: Core, exports: Exports): Route[] {
  return [declareExport(core, exports), declareErase(core), declareRead(core)];
}

function declareExport(core: Core, exports: Exports): Route {
  return route({
    ...ASKED,
    path: '/api/privacy/export',
    operationId: 'exportPersonalData',
    summary: 'Everything held of one payer or contact',
    description:
      'By phone or e-mail, in whatever spelling it was written down. Payments with all that belongs to them, messages, contacts, what rails told. Amounts are in minor units. The export is written to the audit, without whom it was about.',
    refusals: { 429: 'too_many_exports: two at once for a merchant' },
    answers: { 200: { description: 'The document, written while it is read', schema: held } },
    async run({ caller, body, ctx, address }) {
      const { merchantId } = caller;
      const at = core.clock.now();
      await inTransaction(core, (db) =>
        recordAudit(db, { merchantId, actor: actorOf(caller, address), action: 'privacy.exported', at }),
      );
      const reader = new AbortController();
      ctx.res.once('close', () => reader.abort());
      const chunks = writeExport(core, { merchantId, subject: subjectOf(body) }, reader.signal);
      const name = `personal-data-${dayOf(at)}.json`;
      await exports.send(ctx, { name, type: 'application/json; charset=utf-8', chunks, merchantId });
      // Written already.
      return { status: 0 };
    },
  });
}

function declareErase(core: Core): Route {
  return route({
    ...ASKED,
    path: '/api/privacy/erase',
    operationId: 'erasePersonalData',
    summary: 'Erase one payer or contact',
    description:
      'Payments, amounts, references and times stay, without whom they were of. It is done in the background; what is under way, such as an open payment, is erased when it is over, and `waitingFor` names it. Asked again meanwhile, it is the same erasure. Nothing brings back what was erased.',
    refusals: { 429: 'too_many_erasures: twenty of yours are being done' },
    answers: { 202: { description: 'Ordered', schema: erasureAnswer } },
    async run({ caller, body, address }) {
      const ordered = { merchantId: caller.merchantId, subject: subjectOf(body), actor: actorOf(caller, address) };
      return { status: 202, body: viewErasure(await orderErasure(core, ordered)) };
    },
  });
}

function declareRead(core: Core): Route {
  return route({
    ...CALL,
    method: 'GET',
    path: '/api/privacy/erasures/{erasureId}',
    operationId: 'readErasure',
    summary: 'How far an erasure is',
    bucket: 'read',
    params: z.object({ erasureId: z.string().regex(UUID).describe('`id` of the erasure') }),
    answers: { 200: { description: 'The erasure', schema: erasureAnswer } },
    async run({ caller, params }) {
      const found = await em(core).findOne(Erasure, { id: params.erasureId, merchantId: caller.merchantId });
      if (!found) throw new Problem('not_found');
      return { status: 200, body: viewErasure(found) };
    },
  });
}
