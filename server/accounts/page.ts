// What the built pages behind mailed links (dist/ssr/account.js) offer the server, and what is shown when one cannot be.
import type { Context, Middleware } from 'koa';
import type { AccountView } from '../../shared/account.ts';
import type { Language } from '../../shared/language.ts';
import { LANGUAGES } from '../../shared/language.ts';
import { pagePolicy, sendPage } from '../http/page.ts';

/** HTML documents, and the exact text of their one style element for the policy's hash. */
export type AccountRender = {
  styles: string;
  renderAccount(view: AccountView): string;
  /** @param againUrl null where asking again would send a form twice */
  renderAccountTrouble(lang: Language, againUrl: string | null): string;
  /** For an address that is no page: a link that was cut short, or typed. */
  renderAccountMissing(lang: Language): string;
};

/** The language asked for by `?lang=`, else by the browser, else Portuguese. */
export function languageOf(ctx: Context): Language {
  const find = (name: unknown) => LANGUAGES.find((known) => known === name);
  return find(ctx.query['lang']) ?? find(ctx.acceptsLanguages(...LANGUAGES)) ?? 'pt';
}

/** Sends one of these pages: nothing but itself may frame it or learn its address, which holds a secret. */
export function showAccountPage(ctx: Context, render: AccountRender, html: string, status = 200): void {
  sendPage(ctx, html, pagePolicy(render.styles, []), status);
}

/** Replaces every refusal of these paths for browsers: words and a way on; scripts keep their problem. */
export function showAccountTrouble(render: AccountRender): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status < 400 || !ctx.path.startsWith('/account/') || !ctx.response.is('application/problem+json')) return;
    if (ctx.accepts('json', 'html') !== 'html') return;
    const lang = languageOf(ctx);
    ctx.remove('Content-Language');
    const againUrl = ctx.method === 'GET' ? ctx.path + ctx.search : null;
    const isMissing = ctx.status === 404;
    const html = isMissing ? render.renderAccountMissing(lang) : render.renderAccountTrouble(lang, againUrl);
    showAccountPage(ctx, render, html, ctx.status);
  };
}
