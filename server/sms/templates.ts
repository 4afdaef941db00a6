// Templates: texts with places to fill in, read, listed, and searched by the day they were made.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { viewPage } from '../http/fields.ts';
import { route, type Route } from '../http/route.ts';
import { dayQuery, readSpan, type Span } from './days.ts';
import { reads, showPage, smsPage, type SmsPage } from './fields.ts';
import { findPage } from './page.ts';
import { findTemplate, templateWrites } from './template.ts';
import { byTemplate, smsTemplate, viewTemplate } from './template-schemas.ts';

/** The endpoints of templates. */
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
    answers: { 200: { description: 'The template', schema: smsTemplate } },
    run: async ({ caller, params }) => ({
      status: 200,
      body: viewTemplate(await findTemplate(core, caller.merchantId, params.templateId)),
    }),
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
    summary: 'Find the SMS templates that were created on a day',
    description: 'A day in Luanda, from midnight to midnight. The newest first.',
    query: dayQuery,
    answers: aPage,
    run: async ({ caller, query }) => ({
      status: 200,
      body: await listTemplates(core, caller.merchantId, query, readSpan(query)),
    }),
  });
}

async function listTemplates(core: Core, merchantId: string, page: SmsPage, madeIn?: Span): Promise<object> {
  const { rows, total } = await findPage(
    core,
    page,
    (tables) => {
      const mine = tables.selectFrom('sms_templates').where('merchantId', '=', merchantId);
      return madeIn ? mine.where('createdAt', '>=', madeIn.from).where('createdAt', '<', madeIn.to) : mine;
    },
    (templates) => templates.selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc'),
  );
  return showPage(rows.map(viewTemplate), page, total);
}
