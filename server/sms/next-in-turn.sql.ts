// The order in which messages are sent. As SQL: Kysely has no word for a step of the recursion in the place of a column, nor
// for rows compared as a whole, and the claim that it is a part of (due/work.ts) is SQL too.

/**
 * One message of each merchant, then the second of each, and so on: a long sending delays nobody else's. Where there are more
 * merchants than places it is by lot: by age, the same long sendings would always come first.
 */
export const NEXT_IN_TURN = `
  with recursive merchant(id) as (
    (select merchant_id from sms_messages where status = 'Pending' and due_at is not null order by merchant_id limit 1)
    union all
    select (select merchant_id from sms_messages where status = 'Pending' and due_at is not null
      and merchant_id > merchant.id order by merchant_id limit 1) from merchant where merchant.id is not null)
  select turn.id from (select id from merchant where id is not null) merchant cross join lateral (
    select id, row_number() over (order by merchant_id, due_at) as place from sms_messages
    -- Compared as rows: whatever the planner thinks, it is the turn's index that begins and ends there.
    where status = 'Pending' and due_at is not null and (merchant_id, due_at) >= (merchant.id, '-infinity') and (merchant_id, due_at) <= (merchant.id, $1::timestamptz)
    order by merchant_id, due_at limit $3) turn
  order by turn.place, random() limit $3`;
