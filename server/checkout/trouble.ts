// What a payer reads when their page cannot be shown: words and a way to try again, instead of an API's problem.
import type { Middleware } from 'koa';
import { readTheme, sendNotice } from './answer.ts';
import type { CheckoutRender } from './page.ts';
import { chooseLang } from './session.ts';

const PAYER_PAGE = /^\/checkout\/([^/]+)(\/pay|\/reference)?$/;

/** Replaces the answers 429 and 5xx of the checkout's pages for browsers; scripts keep their problem. */
export function showTrouble(render: CheckoutRender): Middleware {
  return async (ctx, next) => {
    await next();
    const [, token] = PAYER_PAGE.exec(ctx.path) ?? [];
    if (ctx.status < 429 || !token || ctx.accepts('json', 'html') !== 'html') return;
    const lang = chooseLang(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'));
    ctx.remove('Content-Language');
    sendNotice(ctx, render, render.renderTrouble(lang, { token, theme: readTheme(ctx) }), ctx.status);
  };
}
