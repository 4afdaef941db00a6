// Payment links: creation, forms and payments.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Reply, TestApp } from './app.ts';
import { postForm } from './members.ts';
import type { Sql } from './truth.ts';

export function linkBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { title: 'Bilhete', amount: 1500, currency: 'AOA', ...changes };
}

export type Link = { id: string; slug: string; url: string; revision: number } & Record<string, any>;

/** Creates a payment link and returns it. @throws if the link was not created */
export async function createLink(app: TestApp, changes: Record<string, unknown> = {}): Promise<Link> {
  const reply = await app.call('/api/links', { body: linkBody(changes) });
  if (reply.status !== 201) throw new Error(`not created: ${reply.status} ${reply.text}`);
  return reply.json;
}

export const readLink = async (app: TestApp, { id }: { id: string }): Promise<Link> =>
  (await app.call(`/api/links/${id}`)).json;

type Caller = Pick<TestApp, 'call'>;

/** Sends the form of a link. Each call sends a new form, unless `fields` has its key. */
export function sendForm(app: Caller, { slug }: { slug: string }, fields: Record<string, string> = {}): Promise<Reply> {
  return postForm(app, `/l/${slug}`, { form: randomUUID(), ...fields }, { accept: 'text/html' });
}

/** Returns the client token from the redirect of a form. @throws if the redirect has no token */
export function tokenOf({ status, headers, text }: Reply): string {
  const [, token] = /^\/checkout\/([\w-]{43})/.exec(headers.get('location') ?? '') ?? [];
  if (status !== 303 || !token) throw new Error(`not led on: ${status} ${text.slice(0, 200)}`);
  return token;
}

/** The payments of a link, newest first. */
export const listPayments = async (app: Caller, { id }: { id: string }, query = ''): Promise<any[]> =>
  (await app.call(`/api/links/${id}/payments${query}`)).json.data;

export async function useLink(
  app: TestApp,
  link: Link,
  fields: Record<string, string> = {},
): Promise<{ token: string; id: string }> {
  const token = tokenOf(await sendForm(app, link, fields));
  const { reference } = (await app.call(`/checkout/${token}/session`, { token: null })).json;
  const [row] = await app.sql('select id from payments where reference = $1', [reference]);
  return { token, id: row.id };
}

const COUNTS = `
  select l.slug, l.stock, l.open_count::int as open, l.paid_count::int as paid,
    count(*) filter (where s.is_paid)::int as really_paid,
    count(*) filter (where s.is_open and not s.is_paid)::int as really_open,
    count(*) filter (where u.status <> case when s.is_paid then 'Paid' when s.is_open then 'Open' else 'Released'
      end)::int as wrong
  from links l
    left join link_payments u on u.link_id = l.id
    left join payments p on p.id = u.payment_id
    left join payments r on r.replaces_id = p.id
    left join lateral (select
      p.status = 'Paid' or coalesce(r.status = 'Paid', false) as is_paid,
      p.status in ('Pending', 'Processing') or coalesce(r.status in ('Pending', 'Processing'), false) as is_open) s
      on p.id is not null
  group by l.id`;

/** Expects that the counts of every link equal its payments. Returns the counts by slug. */
export async function expectLinkCounts(sql: Sql): Promise<Map<string, { open: number; paid: number }>> {
  const rows = await sql(COUNTS);
  for (const { slug, open, paid, really_open, really_paid, wrong } of rows)
    expect({ slug, open, paid, wrong }).toEqual({ slug, open: really_open, paid: really_paid, wrong: 0 });
  return new Map(rows.map(({ slug, open, paid }) => [slug, { open, paid }]));
}
