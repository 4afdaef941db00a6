// Making, changing and deleting a template. What was sent or scheduled with it keeps the text it had.
import { v7 as uuid } from 'uuid';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { runKeyed } from '../http/idempotency.ts';
import { SmsTemplate } from './entities.ts';
import { confirm, confirmation, writes } from './fields.ts';
import { byTemplate, contentsOf, smsTemplate, templateRequest, viewTemplate } from './template-schemas.ts';

const EXAMPLE = { nome: 'Encomenda pronta', conteudo: 'Ola {{nome}}, a encomenda {{numero}} esta pronta.' };

const NOTHING_SENT_CHANGES = 'What was sent or scheduled with it keeps the text it had.';

/** The endpoints that change templates. */
export function templateWrites(core: Core): Route[] {
  return [declareCreate(core), declareUpdate(core), declareDelete(core)];
}

/** @throws Problem not_found for what does not exist, was deleted, or is another merchant's */
export async function findTemplate(db: Db, merchantId: string, id: string): Promise<SmsTemplate> {
  const found = await em(db).findOne(SmsTemplate, { merchantId, id });
  if (!found) throw new Problem('not_found');
  return found;
}

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: '/api/TemplatesSMS/CriarTemplate',
    operationId: 'createSmsTemplate',
    summary: 'Create an SMS template',
    description:
      'A text with places to fill in: a sending brings a value for each key (`valores`), or the contact’s name for `{{nome}}`.',
    body: templateRequest,
    example: EXAMPLE,
    answers: { 201: { description: 'Created', schema: smsTemplate } },
    run({ caller, body, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const now = core.clock.now();
        const template = { id: uuid(), merchantId, ...contentsOf(body), createdAt: now, updatedAt: now };
        await em(db).insert(SmsTemplate, template);
        return { status: 201, body: viewTemplate(template) };
      });
    },
  });
}

function declareUpdate(core: Core): Route {
  return route({
    ...writes,
    method: 'PUT',
    path: '/api/TemplatesSMS/AtualizarTemplate/{templateId}',
    operationId: 'updateSmsTemplate',
    summary: 'Change an SMS template',
    description: `Its name and its text, both. ${NOTHING_SENT_CHANGES}`,
    params: byTemplate,
    body: templateRequest,
    example: EXAMPLE,
    answers: { 200: { description: 'As it is now', schema: smsTemplate } },
    run({ caller, params, body, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const { templateId: id } = params;
        const set = { ...contentsOf(body), updatedAt: core.clock.now() };
        await em(db).nativeUpdate(SmsTemplate, { merchantId, id }, set);
        return { status: 200, body: viewTemplate(await findTemplate(db, merchantId, id)) };
      });
    },
  });
}

function declareDelete(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: '/api/TemplatesSMS/DeletarTemplate/{templateId}',
    operationId: 'deleteSmsTemplate',
    summary: 'Delete an SMS template',
    description: NOTHING_SENT_CHANGES,
    params: byTemplate,
    answers: { 200: { description: 'Deleted', schema: confirmation } },
    run({ caller, params, keyed }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const deleted = await em(db).nativeDelete(SmsTemplate, { merchantId, id: params.templateId });
        if (deleted === 0) throw new Problem('not_found');
        return confirm('Modelo eliminado.');
      });
    },
  });
}
