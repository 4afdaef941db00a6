// The sandbox's inbox, and a mail server that accepts or refuses mail.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { inTransaction } from '../../server/database/orm.ts';
import { writeMail, type NewMail } from '../../server/mail/write.ts';
import type { TestApp } from './app.ts';
import { creepUntil } from './payments.ts';

export type InboxLetter = {
  id: string;
  kind: string;
  to: string;
  subject: string;
  text: string;
  receivedAt: string;
};

export async function listInbox(app: TestApp, to: string): Promise<InboxLetter[]> {
  const headers = { accept: 'application/json' };
  const { json } = await app.call(`/sandbox/inbox?to=${encodeURIComponent(to)}`, { token: null, headers });
  return json.data;
}

/** Waits for `count` mails to an e-mail address and returns the newest. */
export function receiveMail(app: TestApp, to: string, count = 1): Promise<InboxLetter> {
  const find = async () => {
    const letters = await listInbox(app, to);
    return letters.length >= count ? letters[0] : null;
  };
  return creepUntil(app, find, `mail ${count} to ${to}`) as Promise<InboxLetter>;
}

/** Returns path and query of the first link in a mail. */
export function linkIn({ text }: { text: string }): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0];
  if (!link) throw new Error(`no link in: ${text}`);
  const { pathname, search } = new URL(link);
  return pathname + search;
}

export function tokenIn(letter: { text: string }): string {
  return new URL(linkIn(letter), 'http://localhost').searchParams.get('token') ?? '';
}

/** Writes a mail in a transaction, by default one with a reset link. */
export function postMail(app: TestApp, mail: Partial<NewMail> = {}): Promise<void> {
  const { core } = app.node;
  const link = `${core.publicUrl}/account/reset?token=${'t'.repeat(43)}&lang=pt`;
  const usual = { to: 'ana@example.ao', language: 'pt', template: 'reset', values: { firstName: 'Ana', link } };
  return inTransaction(core, (db) => writeMail(core, db, { ...usual, ...mail } as NewMail));
}

export type Delivered = { from: string; to: string[]; raw: string };

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Starts a mail server on loopback, without TLS by default. */
export async function startMailServer(port = 0, options: SMTPServerOptions = {}) {
  let refusal: { code: number; text: string } | null = null;
  const delivered: Delivered[] = [];
  const asked: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      asked.push(address);
      done(refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        delivered.push({ from, to, raw: Buffer.concat(chunks).toString('utf8') });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const cut = () => {
    for (const connection of server.connections) connection.close();
  };
  const own = (server.server.address() as AddressInfo).port;
  return {
    port: own,
    url: `smtp://127.0.0.1:${own}`,
    delivered,
    asked,
    /** Refuses later recipients, or accepts them again after null. */
    refuseWith: (given: typeof refusal) => void (refusal = given),
    cut,
    async close() {
      if (!server.server.listening) return;
      const closed = once(server.server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
