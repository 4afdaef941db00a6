// Claiming deliveries that are due: by lease, so that no two nodes make the same attempt, and with room for every endpoint.
import type { Core } from '../core.ts';
import { DELIVERY_COLUMNS, FIND_MONEY } from '../events/outbox.ts';
import type { DeliveryKind, EndpointKind } from './entities.ts';
import { LEASE_MS } from './schedule.ts';

/** A delivery to be attempted now, with its endpoint and the money it tells of. */
export type Claimed = {
  id: string;
  merchantId: string;
  kind: DeliveryKind;
  type: string;
  paymentId: string | null;
  eventSeq: number | null;
  /** This attempt's, from 1. */
  number: number;
  tries: number;
  triesSince: Date | null;
  createdAt: Date;
  endpoint: Target;
  money: Money | null;
};

export type Target = {
  id: string;
  kind: EndpointKind;
  url: string;
  accessKey: string | null;
  secrets: string | null;
  failures: number;
};

/** A Transaction and what it paid. */
export type Money = {
  id: string;
  providerRef: string;
  amountMinor: number;
  currency: string;
  occurredAt: Date;
  details: Record<string, string | null>;
  reference: string;
};

/** Attempts under way at one endpoint from one node. */
export const PER_ENDPOINT = 16;

/** Where to look: merchants with news, endpoints with room or rows that came due; and how many are under way at each. */
export type Wanted = {
  merchantIds: string[];
  endpointIds: string[];
  busy: Map<string, number>;
  /** How many may be under way at one endpoint now, up to PER_ENDPOINT. */
  room: number;
};

/** Claims what is due there, in the order it came due; of one payment nothing whose forerunner was never tried. */
export async function claimDeliveries(
  core: Core,
  { merchantIds, endpointIds, busy, room }: Wanted,
): Promise<Claimed[]> {
  const now = core.clock.now();
  const lease = new Date(now.getTime() + LEASE_MS);
  const { rows } = await core.pool.query<Row>({
    name: 'claim_deliveries',
    text: CLAIM,
    values: [now, lease, [...busy.keys()], [...busy.values()], merchantIds, endpointIds, room],
  });
  return rows.map(readRow);
}

/** A delivery that was this node's when it was written, as the statement that wrote it answers it. */
export function readLeased(row: object): Claimed {
  return readRow(row as Row);
}

/** Claimed for nothing: no attempt was made, and whoever looks next may claim them. */
export async function handBack(core: Core, claims: Claimed[]): Promise<void> {
  await core.pool.query({
    name: 'hand_back',
    text: `update deliveries d set attempts = attempts - 1, claimed_at = null, leased_until = null
      from unnest($1::uuid[], $2::int[]) as c(id, number) where d.id = c.id and d.attempts = c.number`,
    values: [claims.map(({ id }) => id), claims.map(({ number }) => number)],
  });
}

/** Endpoints with deliveries that are due, of every merchant. */
export async function findDueEndpoints(core: Core): Promise<string[]> {
  const { rows } = await core.pool.query<{ endpoint_id: string }>({
    name: 'due_endpoints',
    text: DUE_ENDPOINTS,
    values: [core.clock.now()],
  });
  return rows.map((row) => row.endpoint_id);
}

/** The money that a callback tells of. */
export async function findMoney(core: Core, transactionId: string): Promise<Money | null> {
  const { rows } = await core.pool.query<MoneyRow>(`${FIND_MONEY} $1::uuid`, [transactionId]);
  return rows[0] ? readMoney(rows[0], transactionId) : null;
}

/** What was committed while its endpoint was being removed: its removal could not see it. */
export async function skipRemoved(core: Core, endpointIds: string[]): Promise<void> {
  await core.pool.query({
    name: 'skip_removed',
    text: `update deliveries d set status = 'Skipped', due_at = null from endpoints e
      where e.id = any($1::uuid[]) and e.deleted_at is not null and d.endpoint_id = e.id and d.due_at is not null`,
    values: [endpointIds],
  });
}

const CLAIM = `
with probe as (
  select id from endpoints where (merchant_id = any($5::uuid[]) or id = any($6::uuid[]))
    and deleted_at is null and probe_at <= $1::timestamptz and id <> all($3::uuid[])
  for update skip locked
), ready as (
  select e.id as endpoint_id, d.seq, d.claimed_at as lost_at
  from endpoints e
  left join unnest($3::uuid[], $4::int[]) as busy(id, n) on busy.id = e.id
  cross join lateral (
    select d.seq, d.claimed_at from deliveries d
    where d.endpoint_id = e.id and d.due_at <= $1::timestamptz
      and (d.leased_until is null or d.leased_until <= $1::timestamptz)
      -- Looked up for each: as a join the planner may read the whole table, once for every claim.
      and (d.payment_id is null or d.first_tried_at is not null or (
        select true from deliveries b where b.endpoint_id = d.endpoint_id and b.payment_id = d.payment_id and b.seq < d.seq
          and b.first_tried_at is null and b.due_at is not null limit 1) is null)
    order by d.due_at, d.seq
    limit case when e.probe_at is null then greatest($7::int - coalesce(busy.n, 0), 0)
      when e.id in (select id from probe) then 1 else 0 end
    for update skip locked
  ) d
  where (e.merchant_id = any($5::uuid[]) or e.id = any($6::uuid[])) and e.deleted_at is null
), probing as (
  update endpoints set probe_at = $2::timestamptz where id in (select endpoint_id from ready) and probe_at is not null
), claimed as (
  update deliveries d set attempts = attempts + 1, claimed_at = $1::timestamptz, leased_until = $2::timestamptz
  from ready
  -- By the array too: how many are ready nobody can estimate, and a guess too high would read the whole table.
  where d.seq = ready.seq and d.seq = any(array(select seq from ready))
  returning d.*, ready.lost_at
), interrupted as (
  insert into delivery_attempts (delivery_id, number, started_at, outcome)
  select id, attempts - 1, lost_at, 'interrupted' from claimed where lost_at is not null
  on conflict do nothing
)
select ${DELIVERY_COLUMNS}, m.* from claimed d
cross join lateral (select * from endpoints where id = d.endpoint_id limit 1) n
left join lateral (${FIND_MONEY} d.transaction_id limit 1) m on true
order by d.seq`;

/** From one endpoint to the next, however many rows each has. */
const DUE_ENDPOINTS = `
with recursive next as (
  (select endpoint_id from deliveries where due_at is not null order by endpoint_id limit 1)
  union all
  select (select d.endpoint_id from deliveries d where d.due_at is not null and d.endpoint_id > next.endpoint_id
    order by d.endpoint_id limit 1) from next where next.endpoint_id is not null
)
select endpoint_id from next where endpoint_id is not null and exists (
  select from deliveries d where d.endpoint_id = next.endpoint_id and d.due_at <= $1::timestamptz)`;

type MoneyRow = {
  money_id: string | null;
  provider_ref: string;
  amount_minor: number;
  currency: string;
  occurred_at: string;
  details: Record<string, string | null>;
  reference: string;
};

type Row = MoneyRow & {
  id: string;
  merchant_id: string;
  kind: DeliveryKind;
  type: string;
  payment_id: string | null;
  event_seq: number | null;
  attempts: number;
  tries: number;
  tries_since: string | null;
  created_at: string;
  endpoint_id: string;
  endpoint_kind: EndpointKind;
  url: string;
  access_key: string | null;
  secrets: string | null;
  failures: number;
};

function readRow(row: Row): Claimed {
  const { url, failures, secrets } = row;
  return {
    id: row.id,
    merchantId: row.merchant_id,
    kind: row.kind,
    type: row.type,
    paymentId: row.payment_id,
    eventSeq: row.event_seq,
    number: row.attempts,
    tries: row.tries,
    triesSince: row.tries_since === null ? null : new Date(row.tries_since),
    createdAt: new Date(row.created_at),
    endpoint: { id: row.endpoint_id, kind: row.endpoint_kind, url, accessKey: row.access_key, secrets, failures },
    money: row.money_id === null ? null : readMoney(row, row.money_id),
  };
}

function readMoney(row: MoneyRow, id: string): Money {
  return {
    id,
    providerRef: row.provider_ref,
    amountMinor: row.amount_minor,
    currency: row.currency,
    occurredAt: new Date(row.occurred_at),
    details: row.details,
    reference: row.reference,
  };
}
