// The connector of Ombala and GoSMS (docs/rails/ombala.md): the settings and capabilities of their accounts.
import { z } from 'zod';
import type { Connector } from '../connector.ts';
import { baseUrl, senderName } from '../settings.ts';
import { createOmbalaRail, probeOmbala, type OmbalaAccount } from './client.ts';

const settings = z.strictObject({
  sender: senderName.describe(
    'The sender name that the provider approved; used for messages without a sender of their own',
  ),
  baseUrl: baseUrl.describe(
    'Address of the API; default: https://api.useombala.ao/v1; for GoSMS: https://api.go-sms.co.ao/v1',
  ),
});

const secrets = z.strictObject({
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{8,256}$/, 'must be 8 to 256 printable characters without spaces')
    .describe('The token of the account, without the word Token before it'),
});

/** The connector of Ombala. Accounts of GoSMS set `baseUrl`. */
export const OMBALA: Connector<OmbalaAccount['settings'], OmbalaAccount['secrets']> = {
  name: 'ombala',
  kinds: ['sms'],
  settings,
  secrets,
  capabilities: () => ({
    kind: 'sms',
    idempotent: false,
    reports: 'poll',
    replies: false,
    maxChars: null,
    links: true,
    emoji: true,
  }),
  open: (account) => ({ sms: createOmbalaRail(account) }),
  probe: probeOmbala,
  // Ombala sends no notifications, so every notification comes from another sender and is refused.
  verify: () => 'refused',
  read: () => [],
};
