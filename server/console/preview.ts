// The preview of a merchant's brand: the hosted page with the typed values, before they are saved.
import type { ConsoleRender, ScreenRules } from '../../shared/console.ts';
import { LANGUAGES } from '../../shared/language.ts';
import type { Merchant } from '../merchants/entities.ts';
import { findMerchant } from '../merchants/find.ts';
import { isColor, isLogo } from '../merchants/schemas.ts';
import { sendPage } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { readFiles } from './form.ts';
import type { SentForm } from './multipart.ts';
import type { ConsoleDeps, SignedInRequest } from './render-screen.ts';

/** The screen whose form the preview reads. */
export const SETTINGS = '/console/settings';
export const PREVIEW = `${SETTINGS}/preview`;

export function findSettings(render: ConsoleRender): ScreenRules {
  return render.screens.find(({ path }) => path === SETTINGS) as ScreenRules;
}

/** Sends the specimen page with the saved brand, or with a typed one. @param sent the form, if a person sent it */
export async function sendPreview(deps: ConsoleDeps, from: SignedInRequest, sent: SentForm | null): Promise<Answer> {
  const { core, operations, render, drawSpecimen } = deps;
  const { merchantId } = from.caller;
  const screen = findSettings(render);
  if (!merchantId || !operations.may(from.caller, screen.needs)) throw new Problem('not_found');
  const saved = await findMerchant(core, merchantId);
  const typed = sent ? dress(saved, readFiles(screen.acts['saveBrand']?.files, sent).form) : saved;
  const { html, policy } = drawSpecimen(typed);
  sendPage(from.ctx, html, policy);
  return { status: 0 };
}

/** Returns the merchant with the typed values that are valid. Invalid ones keep the saved value. */
function dress(saved: Merchant, typed: Record<string, string>): Merchant {
  const { name = '', brandColor = saved.brandColor ?? '', brandLogo = '', withoutLogo, defaultLanguage } = typed;
  const logo = withoutLogo === undefined ? saved.brandLogo : null;
  return {
    ...saved,
    name: name.trim() || saved.name,
    defaultLanguage: LANGUAGES.find((each) => each === defaultLanguage) ?? saved.defaultLanguage,
    brandColor: brandColor === '' ? null : isColor(brandColor) ? brandColor.toLowerCase() : saved.brandColor,
    brandLogo: isLogo(brandLogo) ? brandLogo : logo,
  };
}
