// Endpoints for SMS templates: a merchant's stored texts with placeholders.
import { LockMode } from '@mikro-orm/postgresql';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Core } from '../core.ts';
import { em, type Db } from '../database/db.ts';
import { etagOf, requireMatch } from '../http/precondition.ts';
import { fault } from '../http/validate.ts';
import { viewPage } from '../http/fields.ts';
import { SMS_TEMPLATES } from '../database/functions/counted-lists.ts';
import { runKeyed } from '../http/idempotency.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { dayQuery, readSpan, type Span } from './history.ts';
import { SmsTemplate } from './entities.ts';
import {
  confirm,
  confirmation,
  contentText,
  findPage,
  idText,
  nameText,
  reads,
  showPage,
  smsPage,
  writes,
  type SmsPage,
} from './fields.ts';
import { isWellFormed, listPlaceholders } from './text.ts';

/** A placeholder name that no template may use, since the schema of `valores` drops this key. */
const LOST_KEY = '__proto__';

/** Body of `POST /api/TemplatesSMS/CriarTemplate` and `PUT /api/TemplatesSMS/AtualizarTemplate/{templateId}`. */
const templateRequest = z.object({
  nome: nameText,
  conteudo: contentText
    .refine((text) => isWellFormed(text) && !listPlaceholders(text).includes(LOST_KEY), fault('placeholder_malformed'))
    .describe('The text with `{{chave}}` placeholders. A key has 1 to 64 letters, digits, `_`, `-` and `.`'),
});

function contentsOf({ nome, conteudo }: z.output<typeof templateRequest>) {
  return { name: nome, content: conteudo };
}

const byTemplate = z.object({ templateId: idText.describe('`id` of a template in the list') });

function viewTemplate({ id, name, content, createdAt, updatedAt }: SmsTemplate) {
  return {
    id,
    nome: name,
    conteudo: content,
    chaves: listPlaceholders(content),
    criadoEm: createdAt,
    atualizadoEm: updatedAt,
  };
}

const viewEdited = ({ name, content }: SmsTemplate) => ({ name, content });

function answerTemplate(template: SmsTemplate) {
  return { status: 200, body: viewTemplate(template), headers: { ETag: etagOf(viewEdited(template)) } };
}

export const smsTemplate = z
  .object({
    id: z.uuid().describe('The `smsId` of send requests'),
    nome: z.string(),
    conteudo: z.string(),
    chaves: z.array(z.string()).describe('Keys that need values, each once, in order of appearance'),
    criadoEm: z.iso.datetime(),
    atualizadoEm: z.iso.datetime(),
  })
  .meta({ id: 'SmsTemplate' });

export function templateRoutes(core: Core): Route[] {
  return [...templateWrites(core), declareRead(core), declareList(core), declareSearch(core)];
}

const aPage = { 200: { description: 'A page', schema: viewPage.schema(smsTemplate) } };

function declareRead(core: Core): Route {
  return route({
    ...reads,
    path: '/api/TemplatesSMS/ObterTemplatesSmsPorId/{templateId}',
    operationId: 'readSmsTemplate',
    summary: 'Read one SMS template',
    params: byTemplate,
    tagged: true,
    answers: { 200: { description: 'The template', schema: smsTemplate } },
    run: async ({ caller, params }) => answerTemplate(await findTemplate(core, caller.merchantId, params.templateId)),
  });
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    path: '/api/TemplatesSMS/ListarTemplates',
    operationId: 'listSmsTemplates',
    summary: 'List SMS templates, newest first',
    query: z.object(smsPage),
    answers: aPage,
    run: async ({ caller, query }) => ({
      status: 200,
      body: await listTemplates(core, caller.merchantId, query),
    }),
  });
}

function declareSearch(core: Core): Route {
  return route({
    ...reads,
    path: '/api/TemplatesSMS/pesquisarTemplateSMSporData',
    operationId: 'searchSmsTemplates',
    summary: 'Find SMS templates created on a day',
    description: 'A day in Luanda, from midnight to midnight. Newest first.',
    query: dayQuery,
    answers: aPage,
    run: async ({ caller, query }) => ({
      status: 200,
      body: await listTemplates(core, caller.merchantId, query, readSpan(query)),
    }),
  });
}

async function listTemplates(core: Core, merchantId: string, page: SmsPage, createdWithin?: Span): Promise<object> {
  const { rows, total } = await findPage<SmsTemplate>(core, page, {
    list: SMS_TEMPLATES,
    merchantId,
    keys: {},
    span: createdWithin,
    rows: (tables, { from, to }) => {
      const mine = tables.selectFrom('sms_templates').where('merchantId', '=', merchantId);
      const since = from ? mine.where('createdAt', '>=', from) : mine;
      return to ? since.where('createdAt', '<', to) : since;
    },
    order: ['createdAt', 'id'],
  });
  return showPage(rows.map(viewTemplate), page, total);
}

const EXAMPLE = { nome: 'Encomenda pronta', conteudo: 'Ola {{nome}}, a encomenda {{numero}} esta pronta.' };

const KEEPS_SENT_TEXTS = 'Sent and scheduled messages keep their text.';

function templateWrites(core: Core): Route[] {
  return [declareCreate(core), declareUpdate(core), declareDelete(core)];
}

/**
 * Finds a template. @param lock a write lock makes concurrent changes wait for this transaction
 * @throws Problem not_found if no template of this merchant has the id
 */
async function findTemplate(db: Db, merchantId: string, id: string, lock = LockMode.NONE): Promise<SmsTemplate> {
  const found = await em(db).findOne(SmsTemplate, { merchantId, id }, { lockMode: lock });
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
      'A text with placeholders. A send request has a value for each key in `valores`. For `{{nome}}` the contact’s ' +
      'name is the default.',
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
    description: `Replaces name and text. ${KEEPS_SENT_TEXTS}`,
    params: byTemplate,
    body: templateRequest,
    tagged: true,
    example: EXAMPLE,
    answers: { 200: { description: 'Changed', schema: smsTemplate } },
    run({ caller, params, body, keyed, ifMatch }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const { templateId: id } = params;
        const before = await findTemplate(db, merchantId, id, LockMode.PESSIMISTIC_WRITE);
        requireMatch(ifMatch, viewEdited(before));
        const set = { ...contentsOf(body), updatedAt: core.clock.now() };
        await em(db).nativeUpdate(SmsTemplate, { merchantId, id }, set);
        return answerTemplate(await findTemplate(db, merchantId, id));
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
    description: KEEPS_SENT_TEXTS,
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
