// The settings and secrets of a ProxyPay account (RPS v2), and the account's authorized calls.
import { z } from 'zod';
import { createRailCall } from '../rail-call.ts';
import type { OpenAccount, RailEnvironment } from '../connector.ts';
import { baseUrl } from '../settings.ts';

export const settings = z.strictObject({
  entity: z
    .string()
    .regex(/^\d{5}$/, 'must be five digits')
    .describe('The five digits under which payers find the merchant'),
  isExclusive: z
    .boolean()
    .describe(
      'True if no other system registers references of this entity: the gateway then chooses their digits. ' +
        'False: ProxyPay reserves the digits',
    ),
  baseUrl: baseUrl.describe('Address of ProxyPay; default: its own host of the environment'),
});

export const secrets = z.strictObject({
  apiKey: z
    .string()
    .max(512)
    .regex(/^[\x21-\x7e]+$/, 'must be letters, digits and signs without spaces')
    .describe('The API key of the account at ProxyPay; it also verifies ProxyPay’s notifications'),
});

export type ProxypaySettings = z.infer<typeof settings>;
export type ProxypayAccount = OpenAccount<ProxypaySettings, z.infer<typeof secrets>>;

const HOSTS: Record<RailEnvironment, string> = {
  live: 'https://api.proxypay.co.ao',
  test: 'https://api.sandbox.proxypay.co.ao',
};

/** Returns the base URL of this ProxyPay account's calls. */
export function baseUrlOf({ settings: { baseUrl }, environment }: Pick<ProxypayAccount, 'settings' | 'environment'>) {
  return baseUrl ?? HOSTS[environment];
}

/** Creates a function that calls ProxyPay for this rail account. */
export function createProxypayCall(account: ProxypayAccount) {
  const { secrets: keys, timeoutMs, clock, connections } = account;
  const authorize = () => ({ Authorization: `Token ${keys.apiKey}`, Accept: 'application/vnd.proxypay.v2+json' });
  return createRailCall({ url: baseUrlOf(account), timeoutMs, clock, connections, authorize });
}
