// An account at ProxyPay (RPS v2): what is entered for it, and how its calls are let in.
import { z } from 'zod';
import { createAskWith } from '../ask.ts';
import type { OpenAccount, RailEnvironment } from '../connector.ts';

export const settings = z.strictObject({
  entity: z
    .string()
    .regex(/^\d{5}$/, 'must be five digits')
    .describe('The five digits under which payers find the merchant'),
  isExclusive: z
    .boolean()
    .describe(
      'No other system registers references of this entity: we choose their digits; else ProxyPay reserves them',
    ),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
    .regex(/^[^?#@]*$/, 'must be without query, fragment and credentials')
    .optional()
    .describe('Where ProxyPay answers; default: its own host for the environment'),
});

export const secrets = z.strictObject({
  apiKey: z
    .string()
    .max(512)
    .regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without spaces')
    .describe('The API key of the account at ProxyPay; it signs their notifications too'),
});

export type ProxypaySettings = z.infer<typeof settings>;
export type ProxypayAccount = OpenAccount<ProxypaySettings, z.infer<typeof secrets>>;

const HOSTS: Record<RailEnvironment, string> = {
  live: 'https://api.proxypay.co.ao',
  test: 'https://api.sandbox.proxypay.co.ao',
};

/** Where this account's calls go. */
export function baseUrlOf({ settings: { baseUrl }, environment }: Pick<ProxypayAccount, 'settings' | 'environment'>) {
  return baseUrl ?? HOSTS[environment];
}

/** A way to ask ProxyPay in this account's name. */
export function createAccountAsk(account: ProxypayAccount) {
  const { secrets: keys, timeoutMs, clock, connections } = account;
  const authorize = () => ({ Authorization: `Token ${keys.apiKey}`, Accept: 'application/vnd.proxypay.v2+json' });
  return createAskWith({ url: baseUrlOf(account), timeoutMs, clock, connections, authorize });
}
