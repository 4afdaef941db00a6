// The rails this node speaks to, one client a kind.
import type { Core } from '../core.ts';
import { createGpoRail } from './gpo/client.ts';
import type { GpoRail } from './provider.ts';

export type Rails = {
  gpo: GpoRail;
  /** Signs both ways. */
  gpoKey: string;
};

/** What the GPO connector takes in production; the sandbox's rail takes any currency (decisions §3). */
export const GPO_CURRENCIES: readonly string[] = ['AOA'];

/** Clients as configured; the sandbox without GPO_URL speaks to its own simulator, over HTTP as well. */
export function openRails(core: Pick<Core, 'config' | 'clock' | 'keyring'>, simulatorUrl: () => string): Rails {
  const { GPO_URL, GPO_KEY, GPO_TIMEOUT_S } = core.config;
  const gpoKey = GPO_KEY ?? core.keyring.derive('rail:gpo').toString('base64url');
  const url = GPO_URL ?? simulatorUrl();
  return { gpo: createGpoRail({ url, key: gpoKey, timeoutMs: GPO_TIMEOUT_S * 1000, clock: core.clock }), gpoKey };
}
