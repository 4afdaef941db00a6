// Payment links: creation, forms and payments.
import { randomUUID } from 'node:crypto';
import type { Reply, TestApp } from './app.ts';

/** A valid link. */
export function linkBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { title: 'Bilhete', amount: 1500, currency: 'AOA', ...changes };
}

export type Link = { id: string; slug: string; url: string; revision: number } & Record<string, any>;

/** Creates and returns the link. @throws if it was not created */
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
  return app.call(`/l/${slug}`, {
    method: 'POST',
    body: new URLSearchParams({ form: randomUUID(), ...fields }).toString(),
    token: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
  });
}

/** The client token in the redirect of a form. @throws if there is none */
export function tokenOf({ status, headers, text }: Reply): string {
  const [, token] = /^\/checkout\/([\w-]{43})/.exec(headers.get('location') ?? '') ?? [];
  if (status !== 303 || !token) throw new Error(`not led on: ${status} ${text.slice(0, 200)}`);
  return token;
}

/** The payments of a link, newest first. */
export const listPayments = async (app: Caller, { id }: { id: string }, query = ''): Promise<any[]> =>
  (await app.call(`/api/links/${id}/payments${query}`)).json.data;

/** Creates a payment by the form of the link. */
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
