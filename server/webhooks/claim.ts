// Claims due deliveries by lease, so that no two nodes make the same attempt. Each endpoint has its own slots.
import type { Core } from '../core.ts';
import { isAny, prepared, runStatement } from '../database/db.ts';
import { documentOf } from '../events/payer.ts';
import { CLAIM_DELIVERIES, DUE_ENDPOINTS } from './deliveries.sql.ts';
import type { ClaimRequest } from '../jobs/engine.ts';
import type { DeliveryKind, Endpoint, EndpointKind } from './entities.ts';
import { LEASE_MS } from './schedule.ts';

/** A claimed delivery with its endpoint. A callback also has the money that it reports. */
export type ClaimedDelivery = {
  seq: number;
  id: string;
  merchantId: string;
  kind: DeliveryKind;
  type: string;
  paymentId: string | null;
  eventSeq: number | null;
  /** The number of this delivery attempt, from 1. */
  number: number;
  tries: number;
  triesSince: Date | null;
  createdAt: Date;
  endpoint: EndpointTarget;
  money: CallbackFunds | null;
};

type EndpointTarget = Pick<Endpoint, 'id' | 'kind' | 'url' | 'failures'> &
  Record<'accessKey' | 'secrets', string | null>;

/** A transaction of the rail, and the payment that received it. Amounts are in minor units. */
export type CallbackFunds = {
  id: string;
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date;
  details: Record<string, string | null>;
  reference: string;
  /** The payer's document number (mostly the NIF), if the payment has one. */
  documentNumber: string | null;
};

/** The most concurrent attempts of one node to one endpoint. */
export const PER_ENDPOINT = 16;

/**
 * Claims due deliveries in the order of their due times.
 * A delivery is skipped if its payment has an earlier delivery that was never attempted.
 * @param keys ids of merchants or endpoints
 */
export async function claimDeliveries(
  core: Core,
  { keys, busy, slotsPerKey }: ClaimRequest,
): Promise<ClaimedDelivery[]> {
  const now = core.clock.now();
  const lease = new Date(now.getTime() + LEASE_MS);
  const values = [now, lease, [...busy.keys()], [...busy.values()], keys, slotsPerKey];
  return (await runStatement<ClaimedRow>(core, CLAIM_DELIVERIES, values)).map(readRow);
}

/** Returns the ids of all endpoints with due deliveries, for all merchants. */
export async function findDueEndpoints(core: Core): Promise<string[]> {
  const due = await runStatement<{ id: string }>(core, DUE_ENDPOINTS, [core.clock.now()]);
  return due.map(({ id }) => id);
}

/** Finds the transaction that a callback reports, and its payment. */
export const findMoney = prepared((tables, { transactionId }: { transactionId: string }) =>
  tables
    .selectFrom('transactions as t')
    .innerJoin('payments as p', 'p.id', 't.paymentId')
    .select(['t.id', 't.providerRef', 't.amountMinor', 't.currency', 't.occurredAt', 't.details', 'p.reference'])
    .select(documentOf('p').as('documentNumber'))
    .where('t.id', '=', transactionId),
);

/**
 * Marks deliveries as skipped if they were committed during the removal of their endpoint, which could not see them.
 */
export async function skipForRemoved(core: Core, endpointIds: string[]): Promise<void> {
  await skipDeliveries.run(core, { endpointIds });
}

const skipDeliveries = prepared((tables, { endpointIds }: { endpointIds: string[] }) =>
  tables
    .updateTable('deliveries as d')
    .from('endpoints as e')
    .set({ status: 'Skipped', dueAt: null })
    .where('e.id', ...isAny(endpointIds))
    .where('e.deletedAt', 'is not', null)
    .whereRef('d.endpointId', '=', 'e.id')
    .where('d.dueAt', 'is not', null),
);

type ClaimedRow = Omit<ClaimedDelivery, 'endpoint' | 'money'> &
  Omit<EndpointTarget, 'id' | 'kind'> &
  Omit<CallbackFunds, 'id'> & { endpointId: string; endpointKind: EndpointKind; moneyId: string | null };

function readRow({
  endpointId,
  endpointKind,
  url,
  accessKey,
  secrets,
  failures,
  moneyId,
  ...row
}: ClaimedRow): ClaimedDelivery {
  const { providerRef, amountMinor, currency, occurredAt, details, reference, documentNumber, ...delivery } = row;
  const money = { providerRef, amountMinor, currency, occurredAt, details, reference, documentNumber };
  return {
    ...delivery,
    endpoint: { id: endpointId, kind: endpointKind, url, accessKey, secrets, failures },
    money: moneyId === null ? null : { id: moneyId, ...money },
  };
}
