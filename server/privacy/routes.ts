// Endpoints for one person's data at a merchant: export and erasure.
import { z } from 'zod';
import { dayOf } from '../../shared/luanda.ts';
import type { Core } from '../core.ts';
import { actorOf, recordAudit } from '../audit/record.ts';
import type { Exports } from '../exports/send.ts';
import { uuidText } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { em } from '../database/db.ts';
import { inTransaction } from '../database/orm.ts';
import { Erasure } from './entities.ts';
import { erasureAnswer, requestErasure, viewErasure } from './erasures.ts';
import { writeExport } from './export.ts';
import { checkSubject, subjectOf, subjectRequest } from './subject.ts';

const CALL = {
  tag: 'Privacy',
  access: { kind: 'bearer', scope: 'privacy' },
} as const;

const SUBJECT_CALL = {
  ...CALL,
  method: 'POST',
  bucket: 'write',
  body: subjectRequest,
  checkBody: checkSubject,
  example: { phone: '923 456 789' },
} as const;

/** The exported JSON document. The columns of its rows depend on the table. */
const held = z
  .object({
    subject: z.object({ phone: z.string().optional(), email: z.string().optional() }),
    merchantId: z.uuid(),
    takenAt: z.iso.datetime(),
    columns: z
      .record(z.string(), z.record(z.string(), z.object({ purpose: z.string(), kept: z.string() })))
      .describe('Purpose and retention of each column: a setting in days, or the end in words'),
    held: z.array(z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) })),
  })
  .meta({ id: 'PersonalData' });

export function privacyRoutes(core: Core, exports: Exports): Route[] {
  return [declareExport(core, exports), declareErase(core), declareRead(core)];
}

function declareExport(core: Core, exports: Exports): Route {
  return route({
    ...SUBJECT_CALL,
    path: '/api/privacy/export',
    operationId: 'exportPersonalData',
    summary: 'Export all data of one payer or contact',
    description:
      'Searches by phone or e-mail in every spelling. ' +
      'Contains payments with all their rows, SMS, contacts and data from rails. Amounts are in minor units. ' +
      'The audit records the export, but not the person.',
    refusals: { 429: 'too_many_exports: two exports of your merchant are running' },
    answers: { 200: { description: 'The document, streamed', schema: held } },
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
      // `exports.send` has already written the response.
      return { status: 0 };
    },
  });
}

function declareErase(core: Core): Route {
  return route({
    ...SUBJECT_CALL,
    path: '/api/privacy/erase',
    operationId: 'erasePersonalData',
    summary: 'Erase one payer or contact',
    description:
      'Payments, amounts, references and times stay, without the person. The erasure runs in the background. ' +
      'Rows still in use, such as an open payment, are erased when they are finished; `waitingFor` lists them. ' +
      'A repeated request returns the running erasure. Erased data cannot be restored.',
    refusals: { 429: 'too_many_erasures: twenty erasures of your merchant are running' },
    answers: { 202: { description: 'Accepted', schema: erasureAnswer } },
    async run({ caller, body, address }) {
      const request = { merchantId: caller.merchantId, subject: subjectOf(body), actor: actorOf(caller, address) };
      return { status: 202, body: viewErasure(await requestErasure(core, request)) };
    },
  });
}

function declareRead(core: Core): Route {
  return route({
    ...CALL,
    method: 'GET',
    path: '/api/privacy/erasures/{erasureId}',
    operationId: 'readErasure',
    summary: 'Read the progress of an erasure',
    bucket: 'read',
    params: z.object({ erasureId: uuidText.describe('`id` of the erasure') }),
    answers: { 200: { description: 'The erasure', schema: erasureAnswer } },
    async run({ caller, params }) {
      const found = await em(core).findOne(Erasure, { id: params.erasureId, merchantId: caller.merchantId });
      if (!found) throw new Problem('not_found');
      return { status: 200, body: viewErasure(found) };
    },
  });
}
