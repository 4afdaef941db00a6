// Mail in tests: what a sandbox's inbox holds, and a mail server that takes it or refuses.
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

/** What the inbox holds for somebody now, newest first. */
export async function listInbox(app: TestApp, to: string): Promise<InboxLetter[]> {
  const headers = { accept: 'application/json' };
  const { json } = await app.call(`/sandbox/inbox?to=${encodeURIComponent(to)}`, { token: null, headers });
  return json.data;
}

/** The newest mail to somebody, once at least `count` came; time creeps on meanwhile, as mail is sent by due work. */
export function receiveMail(app: TestApp, to: string, count = 1): Promise<InboxLetter> {
  const find = async () => {
    const letters = await listInbox(app, to);
    return letters.length >= count ? letters[0] : null;
  };
  return creepUntil(app, find, `mail ${count} to ${to}`) as Promise<InboxLetter>;
}

/** The path and query of the first link in a mail, to be called at the node's own address. */
export function linkIn({ text }: { text: string }): string {
  const link = /https?:\/\/\S+/.exec(text)?.[0];
  if (!link) throw new Error(`no link in: ${text}`);
  const { pathname, search } = new URL(link);
  return pathname + search;
}

/** The token of the first link in a mail. */
export function tokenIn(letter: { text: string }): string {
  return new URL(linkIn(letter), 'http://localhost').searchParams.get('token') ?? '';
}

/** Writes a mail as a feature does, in a transaction; some reset mail unless told otherwise. */
export function postMail(app: TestApp, mail: Partial<NewMail> = {}): Promise<void> {
  const { core } = app.node;
  const link = `${core.publicUrl}/account/reset?token=${'t'.repeat(43)}&lang=pt`;
  const usual = { to: 'ana@example.ao', language: 'pt', template: 'reset', values: { firstName: 'Ana', link } };
  return inTransaction(core, (db) => writeMail(core, db, { ...usual, ...mail } as NewMail));
}

export type Delivered = { from: string; to: string[]; raw: string };

export type MailServer = {
  port: number;
  url: string;
  delivered: Delivered[];
  /** How many times each address was asked for. */
  asked: string[];
  /** What the recipient is answered from now on; null: taken. */
  refuseWith(refusal: { code: number; text: string } | null): void;
  /** Ends every connection, in the middle of whatever is said. */
  cut(): void;
  close(): Promise<void>;
};

/** A mail server on loopback, without TLS unless options say so. `port` 0 takes a free one. */
export async function startMailServer(port = 0, options: SMTPServerOptions = {}): Promise<MailServer> {
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
    refuseWith: (given) => void (refusal = given),
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
