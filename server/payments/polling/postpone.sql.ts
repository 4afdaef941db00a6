// The statement that says when rails are asked again: of the attempts of one moment together, since most answers are that nothing is decided.

/** Its parameter: a JSON array of attempts as they were read, and what they become. It answers those that were still so. */
export const POSTPONE = {
  name: 'postpone',
  text: `
with given as (
  -- A statement changes a row once.
  select distinct on (g.id) g.*
  from json_to_recordset($1::json) as g(id uuid, status text, due_at timestamptz, next_status text, next_due_at timestamptz, rail_order_id text)
), ready as (
  select given.* from given
  cross join lateral (
    select a.id from attempts a
    where a.id = given.id and a.status = given.status and a.due_at is not distinct from given.due_at
    limit 1 for no key update skip locked) a
)
update attempts a set status = ready.next_status, due_at = ready.next_due_at, rail_order_id = coalesce(ready.rail_order_id, a.rail_order_id)
from ready where a.id = ready.id
returning a.id`,
} as const;
