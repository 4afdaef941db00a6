// The connector of KambaSMS (docs/rails/kambasms.md): what an account of it needs, and what it can do.
import { z } from 'zod';
import type { Connector } from '../connector.ts';
import { createKambaRail, KAMBASMS_LIMITS, probeKamba, type KambaAccount } from './client.ts';

const settings = z.strictObject({
  sender: z
    .string()
    .regex(/^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/, 'must be 1 to 11 letters and digits, one letter at least')
    .describe('The sender that KambaSMS approved: whom messages come from where nobody names another'),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(200)
    .regex(/^[^?#@]+$/, 'must have no query, fragment or user')
    .optional()
    .describe('Where the API is, if not at https://api.kambasms.ao'),
});

const secrets = z.strictObject({
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{8,256}$/, 'must be 8 to 256 printable characters without spaces')
    .describe('The API key (x-api-key); one for tests only pretends to send'),
});

/** KambaSMS. */
export const KAMBASMS: Connector<KambaAccount['settings'], KambaAccount['secrets']> = {
  name: 'kambasms',
  kinds: ['sms'],
  settings,
  secrets,
  capabilities: () => ({ kind: 'sms', idempotent: true, reports: 'poll', replies: false, ...KAMBASMS_LIMITS }),
  open: (account) => ({ sms: createKambaRail(account) }),
  probe: probeKamba,
  // It has webhooks, but nobody publishes their form: whatever arrives is not from it for all we can tell.
  verify: () => 'refused',
  read: () => [],
};
