// The node's own rails, from the settings GPO_*, PPR_* and SMS_*. They serve every merchant without a rail account.
// In the sandbox the simulator replaces a missing setting.
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { OpenAccount, RailKind } from '../providers/connector.ts';
import type { Keyring } from '../secrets.ts';
import { makeRail, timeoutMsOf } from './rail-accounts.ts';
import type { Rail } from './rail.ts';

/** The keys of the node's own rails, which sign requests and notifications. */
export type NodeRailKeys = Record<RailKind, string>;

export function nodeRailKeys({ config, keyring }: { config: Config; keyring: Keyring }): NodeRailKeys {
  return {
    gpo: config.GPO_KEY ?? keyring.derive('rail:gpo').toString('base64url'),
    ppr: config.PPR_KEY ?? keyring.derive('rail:ppr').toString('base64url'),
    sms: config.SMS_KEY ?? keyring.derive('rail:sms').toString('base64url'),
  };
}

/** Creates the node's own rails. @param simulatorUrl the base URL of the sandbox's simulator */
export function createNodeRails(
  deps: { config: Config; clock: Clock; keyring: Keyring },
  keys: NodeRailKeys,
  simulatorUrl: string,
): Rail[] {
  const { config, clock } = deps;
  const named = { gpo: config.GPO_URL, ppr: config.PPR_URL, sms: config.SMS_URL };
  return (['gpo', 'ppr', 'sms'] as const).flatMap((kind) => {
    const url = named[kind] ?? (config.isSandbox ? simulatorUrl : null);
    if (!url) return [];
    // The sandbox's rails accept any currency, and production rails only the kwanza.
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
      priority: LOWEST_PRIORITY,
      status: 'active',
      isRemoved: false,
      connector: 'balcao',
    } as const;
    return [makeRail(described, account)];
  });
}

/** Priority of the node's own rails: the lowest, so that the operator's accounts come first. */
const LOWEST_PRIORITY = 32_767;
