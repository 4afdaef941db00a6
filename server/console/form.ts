// Forms of the console's pages: whose they are, what they carry, and what is answered to those of another site.
import type { Context } from 'koa';
import { z } from 'zod';
import type { ConsoleRender } from '../../shared/console.ts';
import type { Core } from '../core.ts';
import { pagePolicy, sendPage } from '../http/page.ts';
import type { Answer } from '../http/problem.ts';
import { languageOf } from '../http/trouble.ts';
import { isFormToken, type SignedIn } from './session.ts';

export const formBody = z.looseObject({}).nullish();

/** The texts of a form by their names. */
export function readTexts(body: object | null | undefined): Record<string, string> {
  const entries = Object.entries(body ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

/** Whether a page of ours sent it: browsers name the origin of every form, and where it comes from beside it. */
export function isOwnPage({ publicUrl }: Pick<Core, 'publicUrl'>, ctx: Context): boolean {
  const site = ctx.get('sec-fetch-site');
  if (site && site !== 'same-origin') return false;
  const origin = ctx.get('origin');
  return origin === new URL(publicUrl).origin || (URL.canParse(origin) && new URL(origin).host === ctx.get('host'));
}

/** And whether it was drawn for this very session. */
export function isOwnForm(core: Core, ctx: Context, { sessionId }: SignedIn, fields: Record<string, string>): boolean {
  return isOwnPage(core, ctx) && isFormToken(core, sessionId, fields['token'] ?? '');
}

/** Another site's form has done nothing. */
export function refuseForm({ publicUrl }: Core, render: ConsoleRender, ctx: Context): Answer {
  const html = render.renderTrouble(languageOf(ctx), `${publicUrl}/console`);
  sendPage(ctx, html, pagePolicy(render.styles, []), 403);
  return { status: 0 };
}

/** On by a page that is read, so that reloading sends nothing twice. */
export function seeOther(ctx: Context, path: string): Answer {
  ctx.set('Location', path);
  return { status: 303 };
}
