// What programs and people ask about the interface: its document, and what each error code means.
import type { Context } from 'koa';
import { z } from 'zod';
import { isProblemCode, PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { makeOnce, pagePolicy, sendCompressed } from '../http/pages.ts';
import { route, type Route } from '../http/route.ts';

/** What the built pages offer for errors. */
export type ProblemPage = {
  problemStyles: string;
  renderProblem(problems: { code: string; status: number; title: string; detail: string }[], lang: Language): string;
};

type Making = { made: ReturnType<typeof makeOnce>; page: ProblemPage };

const open = { method: 'GET', tag: 'Status', access: { kind: 'public' }, bucket: 'public' } as const;

const KEPT = { description: 'The one that you have, by `If-None-Match`' };

/** What an error code means. */
const explained = z.object({ code: z.string(), status: z.int(), title: z.string(), detail: z.string() });

export function interfaceRoutes(document: () => object, page: ProblemPage): Route[] {
  const made = makeOnce();
  const making = { made, page };
  return [
    route({
      ...open,
      path: '/openapi.json',
      operationId: 'readInterface',
      summary: 'This document',
      answers: {
        200: { description: 'OpenAPI 3.1', schema: z.looseObject({}) },
        304: KEPT,
      },
      async run({ ctx }) {
        ctx.set({ 'Cache-Control': 'public, max-age=300', 'Access-Control-Allow-Origin': '*' });
        sendCompressed(ctx, await made('document', 'application/json', () => JSON.stringify(document())));
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
        304: KEPT,
      },
      run: ({ ctx }) => describeProblems(ctx, making, Object.keys(PROBLEMS).filter(isProblemCode).toSorted()),
    }),
    route({
      ...open,
      path: '/problems/{code}',
      operationId: 'readProblem',
      summary: 'What an error code means',
      params: z.object({ code: z.string().refine(isProblemCode).describe('`code` of a problem') }),
      answers: {
        200: { description: 'A page, or JSON by Accept', contentType: 'text/html', json: explained },
        304: KEPT,
      },
      run: ({ ctx, params }) => describeProblems(ctx, making, params.code as ProblemCode),
    }),
  ];
}

/** One, or all of them; each made once in each language. */
async function describeProblems(ctx: Context, { made, page }: Making, asked: ProblemCode | ProblemCode[]) {
  const problems = [asked].flat().map((code) => ({ code, ...PROBLEMS[code] }));
  const [name, body] = Array.isArray(asked) ? ['', { data: problems }] : [asked, problems[0]];
  ctx.set('Cache-Control', 'public, max-age=300');
  if (ctx.accepts('html', 'json') === 'json') {
    sendCompressed(ctx, await made(name, 'application/json', () => JSON.stringify(body)));
  } else {
    const lang = chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages(...LANGUAGES), 'en');
    const readable = problems.map((problem) => ({ ...problem, detail: problem.detail.replaceAll('`', '') }));
    ctx.set('Content-Security-Policy', pagePolicy(page.problemStyles, []));
    sendCompressed(ctx, await made(`${name} ${lang}`, 'text/html', () => page.renderProblem(readable, lang)));
  }
  ctx.vary('Accept, Accept-Language');
  return { status: 0 };
}
