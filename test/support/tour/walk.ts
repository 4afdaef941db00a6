// The way of the tour, theme by theme: what an earlier theme has made, later ones use.
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
import { keepRows } from './rows.ts';
import { walkSending } from './sms-sending.ts';
import { walkSmsBook } from './sms.ts';
import { walkTerminals } from './terminals.ts';
import { walkTokens } from './tokens.ts';

/** Walks through every operation, and keeps at the end what the gateway has written down. */
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
    walkSmsBook,
    walkSending,
    walkEvents,
    walkDeliveries,
    walkBilling,
    walkBooks,
    walkRails,
    walkRefunds,
    walkLinks,
    walkPrivacy,
    removeEndpoints,
    keepRows,
  ];
  for (const theme of themes) await theme(tour);
}
