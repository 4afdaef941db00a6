// The connector of KambaSMS (docs/rails/kambasms.md): the settings and capabilities of its accounts.
import { z } from 'zod';
import type { Connector } from '../connector.ts';
import { baseUrl, senderName } from '../settings.ts';
import { createKambaRail, KAMBASMS_LIMITS, probeKamba, type KambaAccount } from './client.ts';

const settings = z.strictObject({
  sender: senderName.describe(
    'The sender name that KambaSMS approved; used for messages without a sender of their own',
  ),
  baseUrl: baseUrl.describe('Address of the API; default: https://api.kambasms.ao'),
});

const secrets = z.strictObject({
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]{8,256}$/, 'must be 8 to 256 printable characters without spaces')
    .describe('The API key (x-api-key); a test key sends no real messages'),
});

export const KAMBASMS: Connector<KambaAccount['settings'], KambaAccount['secrets']> = {
  name: 'kambasms',
  kinds: ['sms'],
  settings,
  secrets,
  capabilities: () => ({ kind: 'sms', idempotent: true, reports: 'poll', replies: false, ...KAMBASMS_LIMITS }),
  open: (account) => ({ sms: createKambaRail(account) }),
  probe: probeKamba,
  // KambaSMS does not document the format of its webhooks, so no notification can be verified.
  verify: () => 'refused',
  read: () => [],
};
