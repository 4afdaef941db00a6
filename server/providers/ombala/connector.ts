// The connector of Ombala and GoSMS (docs/rails/ombala.md): what an account of it needs, and what it can do.
import { z } from 'zod';
import type { Connector } from '../connector.ts';
import { createOmbalaRail, probeOmbala, type OmbalaAccount } from './client.ts';

const settings = z.strictObject({
  sender: z
    .string()
    .regex(/^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/, 'must be 1 to 11 letters and digits, one letter at least')
    .describe('The sender that the provider approved: whom messages come from where nobody names another'),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(200)
    .regex(/^[^?#@]+$/, 'must have no query, fragment or user')
    .optional()
    .describe('Where the API is, if not at https://api.useombala.ao/v1; GoSMS: https://api.go-sms.co.ao/v1'),
});

const secrets = z.strictObject({
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{8,256}$/, 'must be 8 to 256 printable characters without spaces')
    .describe('The token of the account, without the word Token before it'),
});

/** Ombala, and GoSMS by `baseUrl`. */
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
  // It tells nothing of its own accord: whatever arrives is not from it.
  verify: () => 'refused',
  read: () => [],
};
