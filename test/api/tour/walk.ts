// Runs all themes of the tour in order. A theme may use objects that earlier themes created.
import { walkArticles } from './articles.ts';
import { walkBilling } from './billing.ts';
import { walkPrivacy } from './privacy.ts';
import { walkBooks } from './books.ts';
import { walkCheckout } from './checkout.ts';
import { walkClients, walkMerchant } from './merchants.ts';
import { removeEndpoints, walkDeliveries, walkEndpoints } from './webhooks.ts';
import { walkEvents } from './events.ts';
import { walkHolds } from './holds.ts';
import { walkLinks } from './links.ts';
import { walkMembers } from './members.ts';
import { walkTwoSteps } from './mfa.ts';
import { walkPayments } from './payments.ts';
import { walkAccountPages, walkPeople } from './people.ts';
import { walkPublic } from './public.ts';
import { walkQrCodes } from './qrcodes.ts';
import { walkRails } from './rails.ts';
import type { Tour } from './recorder.ts';
import { walkReferences } from './references.ts';
import { walkReferenceMoney } from './reference-money.ts';
import { walkRefunds } from './refunds.ts';
import { walkShifts } from './shifts.ts';
import { walkSending } from './sms-sending.ts';
import { walkContactsAndTemplates } from './sms.ts';
import { walkTerminals } from './terminals.ts';
import { walkTokens } from './tokens.ts';

/** Calls every operation of the interface document. */
export async function walk(tour: Tour): Promise<void> {
  await tour.pass();
  const themes = [
    walkPublic,
    walkTokens,
    walkPeople,
    walkAccountPages,
    walkTwoSteps,
    walkMerchant,
    walkClients,
    walkMembers,
    walkEndpoints,
    walkPayments,
    walkHolds,
    walkQrCodes,
    walkReferences,
    walkReferenceMoney,
    walkCheckout,
    walkTerminals,
    walkContactsAndTemplates,
    walkSending,
    walkEvents,
    walkDeliveries,
    walkBilling,
    walkBooks,
    walkRails,
    walkRefunds,
    walkShifts,
    walkLinks,
    walkArticles,
    walkPrivacy,
    removeEndpoints,
  ];
  for (const theme of themes) await theme(tour);
}
