// The opt-out page `/parar/{code}`: people refuse a merchant's SMS or accept them again. It needs no JavaScript.
import type { Context } from 'koa';
import { z } from 'zod';
import { OPT_OUT_WISHES, type OptOutView } from '../../../shared/opt-out.ts';
import type { Language } from '../../../shared/language.ts';
import type { Core } from '../../core.ts';
import { em } from '../../database/db.ts';
import { languageOf, pagePolicy, sendPage } from '../../http/pages.ts';
import { Problem, type Answer } from '../../http/problem.ts';
import { route, type Route } from '../../http/route.ts';
import { findMerchant } from '../../merchants/find.ts';
import { SmsOptOutCode } from '../entities.ts';
import { OPT_OUT_CODE } from './endings.ts';
import { findRefusing, optIn, optOut, phoneEnd } from './refusals.ts';

/** Renders the opt-out page. `styles` is the exact text of the style element, whose hash the security policy has. */
export type OptOutRender = {
  styles: string;
  renderOptOut(view: OptOutView): string;
  renderOptOutMissing(lang: Language): string;
};

const PATH = '/parar/{code}';
const hidden = { tag: 'SMS', access: { kind: 'public' }, bucket: 'public', isHidden: true } as const;
const byCode = z.object({ code: z.string().regex(OPT_OUT_CODE) });

export function optOutRoutes(core: Core, render: OptOutRender): Route[] {
  return [declarePage(core, render), declareWish(core)];
}

function declarePage(core: Core, render: OptOutRender): Route {
  return route({
    ...hidden,
    method: 'GET',
    path: PATH,
    operationId: 'open:opt-out',
    summary: 'Show the opt-out form',
    params: byCode,
    answers: { 200: { description: 'The page', contentType: 'text/html' } },
    async run({ ctx, params }) {
      const owner = await findOwner(core, params.code);
      const { name, defaultLanguage } = await findMerchant(core, owner.merchantId);
      const isRefused = (await findRefusing(core, [owner]))(owner);
      const about = { merchant: name, phoneEnd: phoneEnd(owner.phone), isRefused };
      const view = { lang: languageOf(ctx, defaultLanguage), sandbox: core.config.isSandbox, ...about };
      return show(ctx, render, view);
    },
  });
}

function show(ctx: Context, { styles, renderOptOut }: OptOutRender, view: OptOutView): Answer {
  sendPage(ctx, renderOptOut(view), pagePolicy(styles, []));
  // Status 0 means that `sendPage` has already written the response.
  return { status: 0 };
}

function declareWish(core: Core): Route {
  return route({
    ...hidden,
    method: 'POST',
    path: PATH,
    operationId: 'submit:opt-out',
    summary: 'Save the choice of the opt-out form',
    params: byCode,
    acceptsForm: true,
    body: z.object({ wish: z.enum(OPT_OUT_WISHES) }),
    answers: { 303: { description: 'Redirects to the page, which shows the new state' } },
    async run({ ctx, params, body }) {
      const { merchantId, phone } = await findOwner(core, params.code);
      if (body.wish === 'stop') await optOut.run(core, { merchantId, phone, source: 'page', at: core.clock.now() });
      else await optIn(core, { merchantId, phone });
      return { status: 303, headers: { Location: ctx.path + ctx.search } };
    },
  });
}

/** Finds merchant and phone of an opt-out code. @throws Problem not_found for an unknown code */
async function findOwner(core: Core, code: string) {
  const owner = await em(core).findOne(SmsOptOutCode, { code });
  if (!owner) throw new Problem('not_found');
  return owner;
}
