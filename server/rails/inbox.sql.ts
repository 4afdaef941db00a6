// Statements by hand that keep what rails tell, and what came of it: of the same moment together.

/** Its parameter: a JSON array of messages. It answers those that are new; two that are the same are one. */
export const STORE_MESSAGES = {
  name: 'store_messages',
  text: `
insert into inbox (id, rail, notification_id, body, is_proven, attempt_id, received_at, due_at)
select id, rail, notification_id, body, is_proven, attempt_id, received_at, due_at
from json_to_recordset($1::json) as m(id uuid, rail text, notification_id text, body text, is_proven boolean, attempt_id uuid,
  received_at timestamptz, due_at timestamptz)
on conflict (rail, notification_id) do nothing
returning id`,
} as const;

/**
 * Its parameter: a JSON array of what came of which message. A mark that a crash of the database undoes is made again: what is applied
 * twice changes nothing, so its commit does not wait.
 */
export const MARK_APPLIED = {
  name: 'mark_applied',
  text: `
with given as (
  select * from json_to_recordset($1::json) as g(id uuid, outcome text, about text, applied_at timestamptz)
)
update inbox m set applied_at = given.applied_at, outcome = given.outcome, about = given.about, due_at = null
from given, (select set_config('synchronous_commit', 'off', true)) quick
-- By the array too: how many are given nobody can estimate, and a guess too high would read the whole table.
where m.id = given.id and m.id = any(array(select id from given))`,
} as const;
