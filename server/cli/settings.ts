// balcao config, balcao mail test: the settings of this machine's gateway in force, and whether its mail server works.
import { randomUUID } from 'node:crypto';
import { normalizeEmail } from '../../shared/email.ts';
import { listConfig, readConfig, type VariableName } from '../config.ts';
import { openSmtp } from '../mail/post.ts';
import { alignRows, CommandError, UsageError, type Call, type Command } from './command.ts';

export const settings: Command = {
  usage: '[--json]',
  options: {},
  async run(_call, { env }) {
    const listed = listConfig(readConfig(env));
    const rows = listed.map(({ name, value, about }) => [name, `${value.padEnd(24)}  ${about}`]);
    return { text: alignRows(rows), json: listed };
  },
};

const USED: readonly VariableName[] = ['BALCAO_ENV', 'SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'];

/** Hands one mail in as a node would, so that a wrong setting shows before an invitation is lost. */
export const mail: Command = {
  usage: 'test <address> [options]',
  options: {},
  notes:
    'Needs no database and no node. In production the connection must be encrypted: smtps://, or STARTTLS by smtp://.',
  async run(call, shell) {
    const to = readAddress(call);
    const config = readConfig(shell.env, (name) => USED.includes(name));
    const { SMTP_URL, MAIL_FROM, PUBLIC_URL = 'http://localhost' } = config;
    if (!SMTP_URL)
      throw new CommandError('SMTP_URL: name a mail server; without one the sandbox keeps its mail itself.');
    const post = await openSmtp(config, SMTP_URL, PUBLIC_URL);
    const subject = 'Balcão: mail test';
    const text = `The gateway at ${PUBLIC_URL} can send mail.`;
    const sent = { id: randomUUID(), to, subject, text, html: `<p>${text}</p>`, at: shell.clock.now() };
    const failure = await post.hand(sent).finally(() => post.close());
    if (failure) throw new CommandError(`SMTP_URL: the mail server did not take it: ${failure.line}.`);
    return { text: `The mail server took a mail to ${to}, from ${MAIL_FROM}.`, json: { to, from: MAIL_FROM } };
  },
};

function readAddress({ positionals }: Call): string {
  const [verb, address, ...others] = positionals;
  if (verb !== 'test' || others.length > 0) throw new UsageError('mail takes test and an address.');
  const to = normalizeEmail(address ?? '');
  if (!to) throw new UsageError(`${address ?? 'nothing'} is no e-mail address`);
  return to;
}
