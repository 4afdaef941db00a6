// The endpoints of the OpenAPI document and of the explanations of problem codes.
import type { Context } from 'koa';
import { z } from 'zod';
import { isProblemCode, PROBLEMS, type ProblemCode } from '../../shared/errors.ts';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { readQuery } from '../../shared/search.ts';
import { createPageCache, pagePolicy, sendCompressed } from '../http/pages.ts';
import { route, type Route } from '../http/route.ts';

type ReadableProblem = { code: string; status: number; title: string; detail: string };

/** The render functions and styles of the built page about problems. */
export type ProblemPage = {
  problemStyles: string;
  renderProblem(problems: ReadableProblem | ReadableProblem[], lang: Language, query?: string): string;
};

type Making = { made: ReturnType<typeof createPageCache>; page: ProblemPage };

const open = { method: 'GET', tag: 'Status', access: { kind: 'public' }, bucket: 'public' } as const;

const KEPT = { description: 'Not modified: you have the current version (`If-None-Match`)' };

/** The explanation of a problem code. */
const explained = z.object({ code: z.string(), status: z.int(), title: z.string(), detail: z.string() });

export function interfaceRoutes(document: () => object, page: ProblemPage): Route[] {
  const made = createPageCache();
  const making = { made, page };
  return [
    route({
      ...open,
      path: '/openapi.json',
      operationId: 'readInterface',
      summary: 'Read this document',
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
      summary: 'List the meanings of all error codes',
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
      summary: 'Read the meaning of an error code',
      params: z.object({ code: z.string().refine(isProblemCode).describe('`code` of a problem') }),
      answers: {
        200: { description: 'A page, or JSON by Accept', contentType: 'text/html', json: explained },
        304: KEPT,
      },
      run: ({ ctx, params }) => describeProblems(ctx, making, params.code as ProblemCode),
    }),
  ];
}

/** Sends the explanation of one or all problem codes. Each page is rendered once per language. */
async function describeProblems(ctx: Context, { made, page }: Making, codes: ProblemCode | ProblemCode[]) {
  const problems = [codes].flat().map((code) => ({ code, ...PROBLEMS[code] }));
  const [name, body] = Array.isArray(codes) ? ['', { data: problems }] : [codes, problems[0]];
  ctx.set('Cache-Control', 'public, max-age=300');
  if (ctx.accepts('html', 'json') === 'json') {
    sendCompressed(ctx, await made(name, 'application/json', () => JSON.stringify(body)));
  } else {
    const lang = chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages(...LANGUAGES), 'en');
    const readable = problems.map((problem) => ({ ...problem, detail: problem.detail.replaceAll('`', '') }));
    const [only] = readable;
    const shown = Array.isArray(codes) || !only ? readable : only;
    const query = Array.isArray(codes) ? readQuery(ctx.query['q']) : '';
    ctx.set('Content-Security-Policy', pagePolicy(page.problemStyles, []));
    if (query) {
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = page.renderProblem(shown, lang, query);
      ctx.status = 200;
    } else sendCompressed(ctx, await made(`${name} ${lang}`, 'text/html', () => page.renderProblem(shown, lang)));
  }
  ctx.vary('Accept, Accept-Language');
  return { status: 0 };
}
