// The counts of links equal the counts of their payments.
import { expect } from 'vitest';
import type { Sql } from './truth.ts';

const COUNTS = `
  select l.slug, l.stock, l.open_count::int as open, l.paid_count::int as paid,
    count(*) filter (where s.is_paid)::int as really_paid,
    count(*) filter (where s.is_open and not s.is_paid)::int as really_open,
    count(*) filter (where u.status <> case when s.is_paid then 'Paid' when s.is_open then 'Open' else 'Released' end)::int as wrong
  from links l
    left join link_payments u on u.link_id = l.id
    left join payments p on p.id = u.payment_id
    left join payments r on r.replaces_id = p.id
    left join lateral (select
      p.status = 'Paid' or coalesce(r.status = 'Paid', false) as is_paid,
      p.status in ('Pending', 'Processing') or coalesce(r.status in ('Pending', 'Processing'), false) as is_open) s on p.id is not null
  group by l.id`;

/** Compares the counts of every link with its payments. Returns the counts by slug. */
export async function expectLinkCounts(sql: Sql): Promise<Map<string, { open: number; paid: number }>> {
  const rows = await sql(COUNTS);
  for (const { slug, open, paid, really_open, really_paid, wrong } of rows)
    expect({ slug, open, paid, wrong }).toEqual({ slug, open: really_open, paid: really_paid, wrong: 0 });
  return new Map(rows.map(({ slug, open, paid }) => [slug, { open, paid }]));
}
