// Handing mail in: to a mail server, or in a sandbox without one to its inbox. Outcomes are values, and bear no secret.
import type { NodemailerError, SendMailOptions, Transporter } from 'nodemailer';
import type { Core } from '../core.ts';

export type MailToSend = { id: string; to: string; subject: string; text: string; html: string; at: Date };

/** Why it was not taken, in a line; final when another try would be refused too. */
export type Failure = { line: string; isFinal: boolean };

export type Post = {
  /** Null: it was taken. */
  hand(sending: MailToSend): Promise<Failure | null>;
  /** What is under way ends; nothing more is taken. */
  close(): void;
};

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 4;

const STANDARD_PORT = { plain: 587, tls: 465 };

type Sender = Pick<Core['config'], 'MAIL_FROM' | 'isSandbox'>;

/** The server that SMTP_URL names: TLS is verified, and in production nothing goes without. */
export async function openSmtp(config: Sender, smtpUrl: string, publicUrl: string): Promise<Post> {
  // Loaded here and below, because the package takes 5 MiB and a sandbox may send no mail.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === 'smtps:';
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    // Tries are counted by us, and outlive the node.
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

/** What an inbox keeps of a mail; `id` is the mail's, so that a repeat is no second one. */
export type KeptMail = { id: string; to: string; subject: string; text: string; html: string };

/** Without a mail server: the message as nodemailer composed it goes to an inbox. */
export function openDrawer(config: Sender, keep: (mail: KeptMail) => Promise<void>, publicUrl: string): Post {
  return {
    async hand(sending) {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({ jsonTransport: true });
      const { message } = await transport.sendMail(describeMessage(config, publicUrl, sending));
      const { subject, text, html } = JSON.parse(String(message)) as Pick<KeptMail, 'subject' | 'text' | 'html'>;
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
    // Its own for ever: a repeat after a crash is known by it.
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

/** Where a 5xx is about this mail; elsewhere (signing in, the sender) it is about us, and an operator can put it right. */
const ABOUT_THIS_MAIL = new Set(['RCPT TO', 'DATA']);

function describeFailure({ code, originalCode, responseCode, command, response }: NodemailerError): Failure {
  // Servers repeat addresses, and links they dislike, in what they say.
  const said = response?.replace(/\S*[@/]\S*|[\w-]{24,}/g, '…').slice(0, 200);
  const line = [originalCode ?? code ?? 'unknown', command, said].filter(Boolean).join(' · ');
  const isRefused = responseCode !== undefined && responseCode >= 500 && responseCode < 600;
  return { line, isFinal: isRefused && ABOUT_THIS_MAIL.has(command ?? '') };
}

/** For logs: `m***@example.ao`. */
export function maskAddress(address: string): string {
  const [first = ''] = address;
  return `${first}***${address.slice(address.lastIndexOf('@'))}`;
}
