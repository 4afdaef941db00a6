// What people are shown instead of a refusal, on pages that have nothing but a link to them: words and a way on, in their language.
import type { Context, Middleware } from 'koa';
import { chooseLanguage, LANGUAGES, type Language } from '../../shared/language.ts';
import { pagePolicy, sendPage } from './page.ts';

/** The language asked for by `?lang=`, else by the browser, else the fallback. */
export function languageOf(ctx: Context, fallback: Language = 'pt'): Language {
  return chooseLanguage(ctx.query['lang'], ctx.acceptsLanguages(...LANGUAGES), fallback);
}

export type TroublePages = {
  styles: string;
  /** @param againUrl null where asking again would send a form twice */
  renderTrouble(lang: Language, againUrl: string | null): string;
  /** For an address that is no page: a link that was cut short, or typed. */
  renderMissing(lang: Language): string;
};

/** Replaces every refusal below this path for browsers; scripts keep their problem. */
export function showTroubleBelow(prefix: string, { styles, renderTrouble, renderMissing }: TroublePages): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.status < 400 || !ctx.path.startsWith(prefix) || !ctx.response.is('application/problem+json')) return;
    if (ctx.accepts('json', 'html') !== 'html') return;
    const lang = languageOf(ctx);
    ctx.remove('Content-Language');
    const againUrl = ctx.method === 'GET' ? ctx.path + ctx.search : null;
    const html = ctx.status === 404 ? renderMissing(lang) : renderTrouble(lang, againUrl);
    sendPage(ctx, html, pagePolicy(styles, []), ctx.status);
  };
}
