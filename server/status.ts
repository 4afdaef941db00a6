// What operators and clients ask about the gateway itself: health, metrics, the interface document, the problem pages.
import { z } from 'zod';
import { isProblemCode, PROBLEMS, type ProblemCode } from '../shared/errors.ts';
import type { CheckoutRender } from './checkout/page.ts';
import { chooseLang } from './checkout/session.ts';
import type { Core } from './core.ts';
import { isPrivateCall } from './http/address.ts';
import type { Metrics } from './http/log.ts';
import { pagePolicy, sendPage } from './http/page.ts';
import { Problem, tryLater } from './http/problem.ts';
import { route, type Route } from './http/route.ts';
import type { Context } from 'koa';
import type { QueryConfig } from 'pg';

export type StatusDeps = { core: Core; metrics: Metrics; render: CheckoutRender; document: () => object };

/** A balancer should learn soon that the database does not answer. */
const READY_WITHIN_MS = 2_000;

const open = { method: 'GET', tag: 'Status', access: { kind: 'public' }, bucket: null } as const;
const state = z.object({ status: z.string() });

export function statusRoutes({ core, metrics, render, document }: StatusDeps): Route[] {
  let written: string | null = null;
  return [
    route({
      ...open,
      path: '/healthz',
      operationId: 'readHealth',
      summary: 'The process is alive',
      answers: { 200: { description: 'Alive', schema: state } },
      run: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    route({
      ...open,
      path: '/readyz',
      operationId: 'readReadiness',
      summary: 'This node can take requests now',
      answers: {
        200: { description: 'Ready', schema: state },
        503: { description: 'Stopping, or the database is away' },
      },
      async run() {
        if (core.stopping.aborted) throw tryLater('service_unavailable', 5);
        await core.pool.query({ text: 'select 1', query_timeout: READY_WITHIN_MS } as QueryConfig);
        return { status: 200, body: { status: 'ready' } };
      },
    }),
    route({
      ...open,
      path: '/metrics',
      operationId: 'readMetrics',
      summary: 'Figures for Prometheus; only from this machine or its private network',
      isHidden: true,
      answers: { 200: { description: 'Figures', contentType: 'text/plain' } },
      async run({ ctx }) {
        if (!isPrivateCall(ctx)) throw new Problem('not_found');
        return { status: 200, body: await metrics.registry.metrics(), type: metrics.registry.contentType };
      },
    }),
    route({
      ...open,
      path: '/openapi.json',
      operationId: 'readInterface',
      summary: 'This document',
      answers: { 200: { description: 'OpenAPI 3.1', schema: z.looseObject({}) } },
      run: () => ({
        status: 200,
        body: (written ??= JSON.stringify(document())),
        headers: { 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' },
      }),
    }),
    route({
      ...open,
      path: '/problems',
      operationId: 'listProblems',
      summary: 'What every error code means',
      answers: { 200: { description: 'A page, or JSON by Accept', contentType: 'text/html' } },
      run: ({ ctx }) => describeProblems(ctx, render, Object.keys(PROBLEMS).filter(isProblemCode).toSorted()),
    }),
    route({
      ...open,
      path: '/problems/{code}',
      operationId: 'readProblem',
      summary: 'What an error code means',
      params: z.object({ code: z.string().refine(isProblemCode).describe('`code` of a problem') }),
      answers: { 200: { description: 'A page, or JSON by Accept', contentType: 'text/html' } },
      run: ({ ctx, params }) => describeProblems(ctx, render, params.code as ProblemCode),
    }),
  ];
}

/** One, or all of them. */
function describeProblems(ctx: Context, render: CheckoutRender, asked: ProblemCode | ProblemCode[]) {
  const problems = [asked].flat().map((code) => ({ code, ...PROBLEMS[code] }));
  const body = Array.isArray(asked) ? { data: problems } : problems[0];
  if (ctx.accepts('html', 'json') === 'json') return { status: 200, body: body ?? null };
  const lang = chooseLang(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'), 'en');
  const readable = problems.map((problem) => ({ ...problem, detail: problem.detail.replaceAll('`', '') }));
  sendPage(ctx, render.renderProblem(readable, lang), pagePolicy(render.problemStyles, []));
  return { status: 0 };
}
