// The ids that a sandbox assigns to a new merchant, so that the built-in simulator can charge for it at once.

/** The entity to which all payment references in a sandbox are paid. */
export const SIMULATED_ENTITY = '00999';

/** The settings that decide which rails the simulator replaces. */
type Rails = { isSandbox: boolean; GPO_URL?: string | undefined; PPR_URL?: string | undefined };

type AssignedIds = { gpoMerchantIds: string[]; gpoPosIds: string[]; entity: string | null };

/**
 * The simulator accepts any id. The provider at GPO_URL or PPR_URL assigns its own, so its merchants begin without ids.
 * Merchants share the PPR entity, so two of them cannot have an active reference with the same digits.
 */
export function simulatedIds({ isSandbox, GPO_URL, PPR_URL }: Rails, merchantId: string): AssignedIds {
  const hasGpo = isSandbox && !GPO_URL;
  // The last 12 digits of a UUID v7 are random, so they identify the merchant.
  const tail = merchantId.slice(-12);
  return {
    gpoMerchantIds: hasGpo ? [`sandbox-${tail}`] : [],
    gpoPosIds: hasGpo ? [`sandbox-pos-${tail}`] : [],
    entity: isSandbox && !PPR_URL ? SIMULATED_ENTITY : null,
  };
}
