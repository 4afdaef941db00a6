// The page /privacidade/{merchantId}: the privacy notice for payers, without a script. All payment pages link to it.
import { z } from 'zod';
import { noticePathOf, type NoticeView } from '../../shared/notice.ts';
import type { Language } from '../../shared/language.ts';
import type { Core } from '../core.ts';
import { prepared } from '../database/db.ts';
import { uuidText } from '../http/fields.ts';
import { languageOf, pagePolicy, sendPage } from '../http/pages.ts';
import { Problem } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { RESPONSE_SENT } from './context.ts';

/** Renders the privacy notice. `styles` is the exact text of its style element, for the hash in the CSP. */
export type NoticeRender = {
  styles: string;
  renderNotice(view: NoticeView): string;
  renderNoticeMissing(lang: Language): string;
};

export function noticeRoutes(core: Core, { styles, renderNotice }: NoticeRender): Route[] {
  return [
    route({
      tag: 'Checkout',
      access: { kind: 'public' },
      bucket: 'public',
      isHidden: true,
      method: 'GET',
      path: noticePathOf('{merchantId}'),
      operationId: 'open:notice',
      summary: 'The privacy notice for payers',
      params: z.object({ merchantId: uuidText }),
      answers: { 200: { description: 'The page', contentType: 'text/html' } },
      async run({ ctx, params: { merchantId } }) {
        const merchant = await findMerchant.first(core, { merchantId: merchantId.toLowerCase() });
        if (!merchant) throw new Problem('not_found');
        const { name, defaultLanguage, privacyContact = null, privacyNotice = null } = merchant;
        const { config } = core;
        const view: NoticeView = {
          lang: languageOf(ctx, defaultLanguage),
          sandbox: config.isSandbox,
          merchant: { name, contact: privacyContact },
          operator: { name: config.BILLING_ISSUER, contact: config.OPERATOR_CONTACT || null },
          keptDays: config.RETENTION_PAYERS_DAYS,
          own: privacyNotice === null ? null : { text: privacyNotice, lang: defaultLanguage },
        };
        sendPage(ctx, renderNotice(view), pagePolicy(styles, []));
        return RESPONSE_SENT;
      },
    }),
  ];
}

const findMerchant = prepared((tables, { merchantId }: { merchantId: string }) =>
  tables
    .selectFrom('merchants')
    .select(['name', 'defaultLanguage', 'privacyContact', 'privacyNotice'])
    .where('id', '=', merchantId),
);
