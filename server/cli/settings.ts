// balcao config, balcao mail test: lists the effective settings, and tests the mail server.
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { listConfig, readConfig, type VariableName } from '../config.ts';
import { openSmtp } from '../mail/post.ts';
import { printResult } from './operate.ts';
import { alignRows, CommandError, readEmail, type Output, type Shell } from './shell.ts';

export const commands = { config: defineConfig, mail: defineMail };

function defineConfig(command: Command, shell: Shell): void {
  command.action(() => {
    const listed = listConfig(readConfig(shell.env));
    const rows = listed.map(({ name, value, about }) => [name, `${value.padEnd(24)}  ${about}`]);
    printResult(shell, command, { text: alignRows(rows), json: listed });
  });
}

function defineMail(command: Command, shell: Shell): void {
  const test = command
    .command('test')
    .description('send one mail with the settings of a node, without a database')
    .argument('<address>', 'where the mail goes', readEmail)
    .addHelpText('after', '\nIn production the connection must be encrypted: by smtps://, or by STARTTLS with smtp://.')
    .action(async (address: string) => printResult(shell, test, await testMail(address, shell)));
}

const USED: readonly VariableName[] = ['BALCAO_ENV', 'SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'];

async function testMail(to: string, { env, clock }: Shell): Promise<Output> {
  const config = readConfig(env, (name) => USED.includes(name));
  const { SMTP_URL, MAIL_FROM, PUBLIC_URL = 'http://localhost' } = config;
  if (!SMTP_URL) throw new CommandError('SMTP_URL: required. A sandbox without a mail server stores its mail.');
  const post = await openSmtp(config, SMTP_URL, PUBLIC_URL);
  const text = `The gateway at ${PUBLIC_URL} can send mail.`;
  const mail = { id: randomUUID(), to, subject: 'Balcão: mail test', text, html: `<p>${text}</p>`, at: clock.now() };
  const failure = await post.hand(mail).finally(() => post.close());
  if (failure) throw new CommandError(`SMTP_URL: the mail server refused the mail: ${failure.line}.`);
  return { json: { to, from: MAIL_FROM, result: 'accepted by the mail server' } };
}
