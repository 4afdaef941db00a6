// All commands by name, and the exit codes: 0 success, 1 failure, 2 invalid arguments or configuration.
import { Command, CommanderError } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { explainStart } from '../explain.ts';
import { UsageError, type Shell } from './shell.ts';

/** Adds the options and subcommands of one command to commander. */
type Define = (command: Command, shell: Shell) => void;
type Module = { commands: Record<string, Define> };

/** The commands, each loaded on demand, since `listen` and `config` need no database. */
const COMMANDS: Record<string, [load: () => Promise<Module>, about: string]> = {
  config: [() => import('./settings.ts'), 'list every setting with its meaning and effective value'],
  mail: [() => import('./settings.ts'), 'test the mail server of SMTP_URL with one mail'],
  listen: [() => import('./listen.ts'), 'forward a merchant’s callbacks to a program on this machine as they happen'],
  trigger: [() => import('./trigger.ts'), 'play a situation in a sandbox, such as a reference that is paid twice'],
  merchant: [() => import('./merchant.ts'), 'list, create and set the merchants of this gateway'],
  client: [() => import('./merchant.ts'), 'revoke an API client'],
  user: [() => import('./user.ts'), 'list, grant and revoke access to a merchant; unlock, reset-mfa'],
  rail: [() => import('./rail.ts'), 'list, add, set, test and remove contracts with acquirers'],
  sms: [() => import('./sms.ts'), 'credit a merchant’s SMS units'],
  plan: [() => import('./billing.ts'), 'list, create and retire the plans that merchants can choose'],
  invoice: [() => import('./billing.ts'), 'list, certify, credit and request the documents of billing'],
  stuck: [() => import('./stuck.ts'), 'list orders without an outcome, and query their rail again'],
  money: [() => import('./money.ts'), 'list rail notifications that match no payment'],
  reconcile: [() => import('./reconcile.ts'), 'compare with the rails’ statements, and record missing payments'],
  privacy: [() => import('./privacy.ts'), 'export and erase the data of one person at all merchants'],
  keys: [() => import('./keys.ts'), 'rotate-signing, reseal: change the keys of this gateway'],
  backup: [() => import('./backup/commands.ts'), 'write the database and its keys into a file, sealed by a passphrase'],
  restore: [() => import('./backup/commands.ts'), 'create a new database from a backup'],
  check: [() => import('./backup/commands.ts'), 'check a database: its secrets and its money'],
};

/** Builds the command line. It loads subcommands only for the group that `args` name. */
export async function buildProgram(args: string[], shell: Shell): Promise<Command> {
  const program = new Command('balcao')
    .description('Commands for the operator of a gateway, and for developers who integrate with one.')
    .option('--json', 'print JSON for programs')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => shell.say(text.trimEnd()),
      writeErr: (text) => shell.complain(text.trimEnd()),
      outputError: () => {},
    })
    .exitOverride();
  for (const [name, [load, about]] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(about);
    if (args.includes(name)) (await load()).commands[name]?.(command, shell);
  }
  return program;
}

/** Runs one command and returns its exit code. */
export async function runCommand(args: string[], shell: Shell): Promise<number> {
  try {
    await (await buildProgram(args, shell)).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return explainCall(error, shell);
    shell.complain(
      explainStart(error, findDatabaseSettings(error, shell)) ?? String(error instanceof Error ? error.message : error),
    );
    return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
  }
}

/** Prints commander's refusal of arguments on stderr. Commander prints help texts itself. */
function explainCall({ code, exitCode, message }: CommanderError, shell: Shell): number {
  if (exitCode === 0) return 0;
  if (code !== 'commander.help')
    shell.complain(message.replace(/^error: (.)/, (_, letter: string) => letter.toUpperCase()));
  return 2;
}

/** Returns the database settings for an error text. Null if the settings are invalid. */
function findDatabaseSettings(error: unknown, { env }: Shell) {
  if (error instanceof ConfigError) return null;
  try {
    return readConfig(env, (name) => name === 'DATA_DIR' || name === 'DATABASE_URL');
  } catch {
    return null;
  }
}
