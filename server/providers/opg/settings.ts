// The settings and secrets of an OPG account: dialect, terminal, token and host.
import { z } from 'zod';
import type { OpenAccount, RailEnvironment } from '../connector.ts';
import { baseUrl } from '../settings.ts';

const DIALECTS = ['proxypay', 'vpos'] as const;
export type OpgDialect = (typeof DIALECTS)[number];

/** Pattern of a terminal's id. The rail writes the id as a JSON integer, which loses digits beyond 15. */
const POS_DIGITS = /^(?=\d{1,15}$)0*[1-9]/;
const POS_FAULT = 'must be an integer above 0, or its digits';

/** Schema of an OPG account's settings, which API answers show. */
export const opgSettings = z.strictObject({
  dialect: z.enum(DIALECTS).describe('`proxypay` for ProxyPay OPG, `vpos` for vPOS and Positiva'),
  posId: z
    .union([z.int(POS_FAULT).positive(POS_FAULT), z.string().regex(POS_DIGITS, POS_FAULT)], POS_FAULT)
    .describe('The number of the terminal (POS) that the bank assigned: an integer, or its digits as text'),
  baseUrl: baseUrl.describe(
    'Base address of the API; default: the provider’s own. For Positiva: the address that Positiva gives',
  ),
});
export type OpgSettings = z.infer<typeof opgSettings>;

/** Schema of an OPG account's secrets, which the node stores encrypted. */
export const opgSecrets = z.strictObject({
  token: z
    .string()
    .regex(/^[\x21-\x7e]{1,2048}$/, 'must be 1 to 2048 printable characters without spaces')
    .describe('The bearer token that the provider issued for this terminal, without the word Bearer'),
});
export type OpgSecrets = z.infer<typeof opgSecrets>;

export type OpgAccount = OpenAccount<OpgSettings, OpgSecrets>;

/** OPG hosts by dialect and environment. vPOS has one host for both: the token decides whether money moves. */
const HOSTS: Record<OpgDialect, Record<RailEnvironment, string>> = {
  proxypay: {
    test: 'https://api.sandbox.proxypay.co.ao/opg/v1',
    live: 'https://api.proxypay.co.ao/opg/v1',
  },
  vpos: { test: 'https://api.vpos.ao/api/v1', live: 'https://api.vpos.ao/api/v1' },
};

/** Returns the base URL of an OPG account's requests. */
export function baseUrlOf({ settings, environment }: Pick<OpgAccount, 'settings' | 'environment'>): string {
  return settings.baseUrl ?? HOSTS[settings.dialect][environment];
}
