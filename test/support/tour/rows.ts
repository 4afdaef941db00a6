// What the gateway has written down by the end of a tour: events, deliveries, notifications, the audit.
import type { Tour } from './recorder.ts';

/** What the rail and the merchant's server answer at one moment comes in an order of its own. */
const ASIDE = `case when type like 'callback.%' or type like 'reference.%' then type end nulls first, seq`;

const ROWS: Record<string, string> = {
  events: `select type, status, details from events order by occurred_at, ${ASIDE}`,
  deliveries: `select kind, type, status, attempts from deliveries order by created_at, ${ASIDE}`,
  notifications: 'select type, details from notifications order by seq',
  'audit entries': 'select action, actor_kind, target, changes from audit_entries order by seq',
};

export async function keepRows({ app, keep }: Tour): Promise<void> {
  for (const [name, text] of Object.entries(ROWS)) keep(`rows: ${name}`, { rows: await app.sql(text) });
}
