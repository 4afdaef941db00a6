// What programs and people ask about the interface: its document, and what each error code means.
import type { Context } from 'koa';
import { z } from 'zod';
import { isProblemCode, PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { compressAside, pagePolicy, sendCompressed, sendPage, type Asset } from '../http/page.ts';
import { route, type Route } from '../http/route.ts';

/** What the built pages offer for errors. */
export type ProblemPage = {
  problemStyles: string;
  renderProblem(problems: { code: string; status: number; title: string; detail: string }[], lang: Language): string;
};

const open = { method: 'GET', tag: 'Status', access: { kind: 'public' }, bucket: null } as const;

/** What an error code means. */
const explained = z.object({ code: z.string(), status: z.int(), title: z.string(), detail: z.string() });

export function interfaceRoutes(document: () => object, page: ProblemPage): Route[] {
  let written: Promise<Asset> | null = null;
  const write = () => compressAside(Buffer.from(JSON.stringify(document())), 'application/json; charset=utf-8');
  return [
    route({
      ...open,
      path: '/openapi.json',
      operationId: 'readInterface',
      summary: 'This document',
      answers: {
        200: { description: 'OpenAPI 3.1', schema: z.looseObject({}) },
        304: { description: 'The one that you have, by `If-None-Match`' },
      },
      async run({ ctx }) {
        ctx.set({ 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' });
        sendCompressed(ctx, await (written ??= write()));
        return { status: 0 };
      },
    }),
    route({
      ...open,
      path: '/problems',
      operationId: 'listProblems',
      summary: 'What every error code means',
      answers: {
        200: {
          description: 'A page, or JSON by Accept',
          contentType: 'text/html',
          json: z.object({ data: z.array(explained) }),
        },
      },
      run: ({ ctx }) => describeProblems(ctx, page, Object.keys(PROBLEMS).filter(isProblemCode).toSorted()),
    }),
    route({
      ...open,
      path: '/problems/{code}',
      operationId: 'readProblem',
      summary: 'What an error code means',
      params: z.object({ code: z.string().refine(isProblemCode).describe('`code` of a problem') }),
      answers: {
        200: { description: 'A page, or JSON by Accept', contentType: 'text/html', json: explained },
      },
      run: ({ ctx, params }) => describeProblems(ctx, page, params.code as ProblemCode),
    }),
  ];
}

/** One, or all of them. */
function describeProblems(ctx: Context, page: ProblemPage, asked: ProblemCode | ProblemCode[]) {
  const problems = [asked].flat().map((code) => ({ code, ...PROBLEMS[code] }));
  const body = Array.isArray(asked) ? { data: problems } : problems[0];
  if (ctx.accepts('html', 'json') === 'json') return { status: 200, body: body ?? null };
  const lang = chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages(...LANGUAGES), 'en');
  const readable = problems.map((problem) => ({ ...problem, detail: problem.detail.replaceAll('`', '') }));
  sendPage(ctx, page.renderProblem(readable, lang), pagePolicy(page.problemStyles, []));
  return { status: 0 };
}
