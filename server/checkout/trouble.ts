// What a payer reads when their page cannot be shown, or their form not be read: words and a way on, instead of an API's problem.
import type { Middleware } from 'koa';
import { readTheme, sendNotice } from './answer.ts';
import type { CheckoutRender } from './page.ts';
import { chooseLanguage } from '../../shared/language.ts';

const PAYER_PAGE = /^\/checkout\/([^/]+)(\/pay|\/reference)?$/;

/** A method, a size, a type or bytes that no form of ours has; other refusals the pages tell themselves. */
const UNREAD: ReadonlySet<number> = new Set([400, 405, 413, 415]);

/** Replaces such answers of the checkout's pages for browsers; scripts, which alone send JSON, keep their problem. */
export function showTrouble(render: CheckoutRender): Middleware {
  return async (ctx, next) => {
    await next();
    const { status, type } = ctx;
    const [, token] = PAYER_PAGE.exec(ctx.path) ?? [];
    if (!token || type !== 'application/problem+json' || ctx.accepts('json', 'html') !== 'html' || ctx.is('json'))
      return;
    const isUnread = UNREAD.has(status);
    if (status < 429 && !isUnread) return;
    const lang = chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages('pt', 'en', 'fr'));
    const page = isUnread ? render.renderRefused : render.renderTrouble;
    ctx.remove('Content-Language');
    sendNotice(ctx, render, page(lang, { token, theme: readTheme(ctx) }), status);
  };
}
