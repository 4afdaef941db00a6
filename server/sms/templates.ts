// Templates: texts with places to fill in, read, listed, and searched by the day they were made.
import { z } from 'zod';
import type { Core } from '../core.ts';
import { viewPage } from '../http/paging.ts';
import { route, type Route } from '../http/route.ts';
import { dayQuery, readSpan } from './days.ts';
import { SmsTemplate } from './entities.ts';
import { reads, showPage, smsPage } from './fields.ts';
import { findPage, type Asked } from './page.ts';
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
      body: await listTemplates(core, { where: 'merchant_id = $1', values: [caller.merchantId], page: query }),
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
    async run({ caller, query }) {
      const { from, to } = readSpan(query);
      const where = 'merchant_id = $1 and created_at >= $2 and created_at < $3';
      const page = await listTemplates(core, { where, values: [caller.merchantId, from, to], page: query });
      return { status: 200, body: page };
    },
  });
}

async function listTemplates(core: Core, asked: Omit<Asked, 'order'>): Promise<object> {
  const { rows, total } = await findPage(core, SmsTemplate, { ...asked, order: 'created_at desc, id desc' });
  return showPage(rows.map(viewTemplate), asked.page, total);
}
