// Sends mail to a mail server, or to the inbox of a sandbox without one. Results are values and contain no secrets.
import type { NodemailerError, SendMailOptions, Transporter } from 'nodemailer';
import type { Core } from '../core.ts';

export type MailToSend = { id: string; to: string; subject: string; text: string; html: string; at: Date };

/** Why a mail was not sent, in one line. `isFinal`: another attempt would fail too. */
export type Failure = { line: string; isFinal: boolean };

export type Post = {
  /** Sends one mail. Null means that the mail server accepted it. */
  hand(sending: MailToSend): Promise<Failure | null>;
  /** Finishes running attempts to send mail, and accepts no more mail. */
  close(): void;
};

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 4;

const STANDARD_PORT = { plain: 587, tls: 465 };

type Sender = Pick<Core['config'], 'MAIL_FROM' | 'isSandbox'>;

/** Connects to the mail server at SMTP_URL. TLS certificates are verified, and production requires TLS. */
export async function openSmtp(config: Sender, smtpUrl: string, publicUrl: string): Promise<Post> {
  // The mail package is imported on demand: it takes 5 MiB, and a sandbox may send no mail.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    // The database counts the attempts, which a restart therefore keeps.
    maxRequeues: 0,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? STANDARD_PORT.tls : STANDARD_PORT.plain),
    secure,
    requireTLS: !config.isSandbox,
    ...(username && { auth }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    hand: (sending) => handIn(transport, describeMessage(config, publicUrl, sending)),
    close: () => transport.close(),
  };
}

/** A mail in the sandbox's inbox. `id` is the id of the mail, so a repeated mail is stored once. */
export type StoredMail = { id: string; to: string; subject: string; text: string; html: string };

/** Creates the sandbox's mail inbox, which stores each mail as nodemailer composed it. */
export function openSandboxInbox(config: Sender, keep: (mail: StoredMail) => Promise<void>, publicUrl: string): Post {
  return {
    async hand(sending) {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({ jsonTransport: true });
      const { message } = await transport.sendMail(describeMessage(config, publicUrl, sending));
      const { subject, text, html } = JSON.parse(String(message)) as Pick<StoredMail, 'subject' | 'text' | 'html'>;
      await keep({ id: sending.id, to: sending.to, subject, text, html });
      return null;
    },
    close() {},
  };
}

function describeMessage({ MAIL_FROM }: Sender, publicUrl: string, sending: MailToSend): SendMailOptions {
  const { id, to, subject, text, html, at } = sending;
  return {
    from: MAIL_FROM,
    to: { name: '', address: to },
    subject,
    text,
    html,
    date: at,
    // The Message-ID never changes, so a mail program recognizes a repeat after a crash.
    messageId: `<${id}@${new URL(publicUrl).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}

async function handIn(transport: Pick<Transporter, 'sendMail'>, message: SendMailOptions): Promise<Failure | null> {
  try {
    await transport.sendMail(message);
    return null;
  } catch (error) {
    return describeFailure(error as NodemailerError);
  }
}

/** SMTP commands whose 5xx responses concern one mail only. An operator can fix the cause after other commands. */
const ABOUT_THIS_MAIL = new Set(['RCPT TO', 'DATA']);

function describeFailure({ code, originalCode, responseCode, command, response }: NodemailerError): Failure {
  // Responses of mail servers may repeat e-mail addresses and links, which must not get into the log.
  const text = response?.replace(/\S*[@/]\S*|[\w-]{24,}/g, '…').slice(0, 200);
  const line = [originalCode ?? code ?? 'unknown', command, text].filter(Boolean).join(' · ');
  const isRefused = responseCode !== undefined && responseCode >= 500 && responseCode < 600;
  return { line, isFinal: isRefused && ABOUT_THIS_MAIL.has(command ?? '') };
}

/** Masks an e-mail address for logs: `m***@example.ao`. */
export function maskAddress(address: string): string {
  const [first = ''] = address;
  return `${first}***${address.slice(address.lastIndexOf('@'))}`;
}
