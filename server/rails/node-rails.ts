// The node's own rails, of its settings: GPO_*, PPR_*, SMS_*; in the sandbox the simulator where none is named. For every merchant
// without an account of its own.
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { OpenAccount, RailKind } from '../providers/connector.ts';
import type { Keyring } from '../secrets.ts';
import { makeRail, timeoutMsOf, type Rail } from './book.ts';

/** What each of the node's own rails signs with, both ways. */
export type OwnKeys = Record<RailKind, string>;

export function ownKeys({ config, keyring }: { config: Config; keyring: Keyring }): OwnKeys {
  return {
    gpo: config.GPO_KEY ?? keyring.derive('rail:gpo').toString('base64url'),
    ppr: config.PPR_KEY ?? keyring.derive('rail:ppr').toString('base64url'),
    sms: config.SMS_KEY ?? keyring.derive('rail:sms').toString('base64url'),
  };
}

/** @param simulatorUrl where the sandbox's own rails answer */
export function ownRails(
  deps: { config: Config; clock: Clock; keyring: Keyring },
  keys: OwnKeys,
  simulatorUrl: string,
): Rail[] {
  const { config, clock } = deps;
  const named = { gpo: config.GPO_URL, ppr: config.PPR_URL, sms: config.SMS_URL };
  return (['gpo', 'ppr', 'sms'] as const).flatMap((kind) => {
    const url = named[kind] ?? (config.isSandbox ? simulatorUrl : null);
    if (!url) return [];
    // The sandbox's rails take any currency, a production rail the kwanza (decisions §3).
    const settings = { url, currencies: config.isSandbox ? null : ['AOA'] };
    const account: OpenAccount = {
      id: kind,
      kind,
      environment: config.isSandbox ? 'test' : 'live',
      settings,
      secrets: { key: keys[kind] },
      timeoutMs: timeoutMsOf(config, kind),
      clock,
    };
    const label = named[kind] ? `${kind.toUpperCase()}_URL` : 'Simulator';
    const described = {
      id: kind,
      merchantId: null,
      kind,
      label,
      priority: LAST,
      status: 'active',
      isRemoved: false,
      connector: 'balcao',
    } as const;
    return [makeRail(described, account)];
  });
}

/** After every account that the operator entered. */
const LAST = 32_767;
