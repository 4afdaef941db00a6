// The rails this node speaks to, one client a kind.
import type { Core } from '../core.ts';
import { createGpoRail } from './gpo/client.ts';
import { createPprRail } from './ppr/client.ts';
import type { GpoRail, PprRail, SmsRail } from './provider.ts';
import { createSmsRail } from './sms/client.ts';

export type Rails = {
  gpo: GpoRail;
  /** Signs both ways. */
  gpoKey: string;
  /** Null where no rail takes payment references: in production without PPR_URL. */
  ppr: PprRail | null;
  pprKey: string;
  /** Null where no rail takes messages: in production without SMS_URL. */
  sms: SmsRail | null;
  smsKey: string;
};

/** What the GPO connector takes in production; the sandbox's rail takes any currency (decisions §3). */
export const GPO_CURRENCIES: readonly string[] = ['AOA'];

/** What the PPR connector takes in production, likewise. */
export const PPR_CURRENCIES: readonly string[] = ['AOA'];

/** Whether some rail takes payment references: in production only one that is named. */
export function hasPprRail({ PPR_URL, isSandbox }: Pick<Core['config'], 'PPR_URL' | 'isSandbox'>): boolean {
  return !!PPR_URL || isSandbox;
}

/** Clients as configured; the sandbox without a rail's URL speaks to its own simulator, over HTTP as well. */
export function openRails(
  { config, clock, keyring }: Pick<Core, 'config' | 'clock' | 'keyring'>,
  simulatorUrl: () => string,
): Rails {
  const gpoKey = config.GPO_KEY ?? keyring.derive('rail:gpo').toString('base64url');
  const pprKey = config.PPR_KEY ?? keyring.derive('rail:ppr').toString('base64url');
  const smsKey = config.SMS_KEY ?? keyring.derive('rail:sms').toString('base64url');
  const gpoUrl = config.GPO_URL ?? simulatorUrl();
  const pprUrl = hasPprRail(config) ? (config.PPR_URL ?? simulatorUrl()) : null;
  const smsUrl = config.SMS_URL ?? (config.isSandbox ? simulatorUrl() : null);
  return {
    gpo: createGpoRail({ url: gpoUrl, key: gpoKey, timeoutMs: config.GPO_TIMEOUT_S * 1000, clock }),
    gpoKey,
    ppr: pprUrl ? createPprRail({ url: pprUrl, key: pprKey, timeoutMs: config.PPR_TIMEOUT_S * 1000, clock }) : null,
    pprKey,
    sms: smsUrl ? createSmsRail({ url: smsUrl, key: smsKey, timeoutMs: config.SMS_TIMEOUT_S * 1000, clock }) : null,
    smsKey,
  };
}
