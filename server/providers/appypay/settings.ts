// The settings and secrets of an AppyPay account: payment methods, credentials and hosts.
import { z } from 'zod';
import type { OpenAccount, RailEnvironment } from '../connector.ts';
import { baseUrl } from '../settings.ts';

/** AppyPay's hosts by environment. The settings of a rail account may replace them. */
const HOSTS: Record<RailEnvironment, { api: string; token: string }> = {
  test: {
    api: 'https://gwy-api-tst.appypay.co.ao/v2.0',
    token: 'https://login.microsoftonline.com/appypaydev.onmicrosoft.com/oauth2/token',
  },
  live: {
    api: 'https://gwy-api.appypay.co.ao/v2.0',
    token: 'https://login.microsoftonline.com/auth.appypay.co.ao/oauth2/token',
  },
};

const method = (prefix: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z-]{8,64}$`), `must be the portal’s key, ${prefix}_ and a UUID`)
    .optional()
    .describe(`The portal’s key of ${what}: ${prefix}_ and a UUID`);

const address = (what: string) => baseUrl.describe(`${what}; absent: AppyPay’s own of the account’s environment`);

const credential = (what: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'must be 1 to 256 printable characters without spaces')
    .describe(what);

const methods = z
  .strictObject({
    gpo: method('GPO', 'Multicaixa Express and QR codes'),
    ref: method('REF', 'payment by reference'),
    umm: method('UMM', 'Unitel Money'),
  })
  .refine(({ gpo, ref, umm }) => gpo || ref || umm, {
    error: 'must name a payment method: gpo or umm for an account of kind gpo, ref for one of kind ppr',
  })
  .describe('The payment methods of the contract: gpo or umm for an account of kind gpo, ref for one of kind ppr');

/** Schema of an AppyPay account's settings, which API answers show. */
export const settings = z.strictObject({
  resource: z.guid({ error: 'must be the UUID that AppyPay gives' }).describe('The UUID for which tokens are issued'),
  methods,
  baseUrl: address('Address of the API, with its version'),
  tokenUrl: address('Address at which tokens are fetched'),
});

const notificationHeader = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits and hyphens')
      .describe('Name of the header, such as X-Api-Key or Authorization'),
    value: z
      .string()
      .regex(/^[\x21-\x7e]([\x20-\x7e]{6,510}[\x21-\x7e])$/, 'must be 8 to 512 printable characters')
      .describe('Its complete value; for Basic authentication, including the word Basic'),
  })
  .optional()
  .describe('The fixed header of AppyPay’s notifications, as configured in the portal');

/** Schema of an AppyPay account's secrets, which the node stores encrypted. */
export const secrets = z.strictObject({
  clientId: credential('Client id'),
  clientSecret: credential('Client secret'),
  notificationHeader,
});

export type AppyPaySettings = z.infer<typeof settings>;
export type AppyPaySecrets = z.infer<typeof secrets>;
export type AppyPayAccount = OpenAccount<AppyPaySettings, AppyPaySecrets>;

/** Returns the hosts for this account's calls and token requests. */
export function hostsOf({ environment, settings: { baseUrl, tokenUrl } }: AppyPayAccount) {
  return { api: baseUrl ?? HOSTS[environment].api, token: tokenUrl ?? HOSTS[environment].token };
}
