// Every command by its name, and how a call of one ends.
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../config.ts';
import { explainStart } from '../explain.ts';
import type { Group } from './subcommand.ts';
import { alignRows, COMMON_OPTIONS, describeCommand, UsageError, type Command, type Shell } from './command.ts';

/** Loaded when called: a listener needs no database. A noun has several actions. */
type Entry = { about: string } & ({ load(): Promise<Command> } | { loadGroup(): Promise<Group> });

const COMMANDS: Record<string, Entry> = {
  config: {
    about: 'every setting with its meaning and value in force; secrets are masked',
    load: async () => (await import('./settings.ts')).settings,
  },
  'rotate-signing-key': {
    about: 'sign access tokens with a new key; tokens of the old one live out their hour',
    load: async () => (await import('./keys.ts')).rotateSigningKey,
  },
  listen: {
    about: 'forward a merchant’s callbacks to a program on this machine, as they happen',
    load: async () => (await import('./listen.ts')).listen,
  },
  trigger: {
    about: 'make a sandbox produce a situation, such as a reference that is paid twice',
    load: async () => (await import('../../sandbox/triggers/trigger.ts')).trigger,
  },
  replay: {
    about: 'have the gateway send callbacks again: one, or all that fit a filter',
    load: async () => (await import('./replay.ts')).replay,
  },
  merchant: {
    about: 'list, show, create, set: the merchants of this gateway',
    loadGroup: async () => (await import('./merchant.ts')).merchant,
  },
  client: {
    about: 'list, create, set, rotate, revoke: their API clients',
    loadGroup: async () => (await import('./client.ts')).client,
  },
  user: {
    about: 'list, grant, revoke, unlock, reset-mfa: their people',
    loadGroup: async () => (await import('./user.ts')).user,
  },
  terminal: {
    about: 'list, add, remove: their points of sale',
    loadGroup: async () => (await import('./terminal.ts')).terminal,
  },
  rail: {
    about: 'list, show, add, set, test, drain, remove: contracts with acquirers, theirs and yours',
    loadGroup: async () => (await import('./rail.ts')).rail,
  },
  mail: {
    about: 'test <address>: whether the mail server of SMTP_URL takes a mail',
    load: async () => (await import('./settings.ts')).mail,
  },
  sms: {
    about: 'credit, balance: their SMS units',
    loadGroup: async () => (await import('./sms.ts')).sms,
  },
  plan: {
    about: 'list, create, retire: what they can subscribe to',
    loadGroup: async () => (await import('./billing.ts')).plan,
  },
  invoice: {
    about: 'list, certify, credit, request: what they owe, what corrects it, and its certified documents',
    loadGroup: async () => (await import('./billing.ts')).invoice,
  },
  stuck: {
    about: 'list, requery: what has no outcome, and why',
    loadGroup: async () => (await import('./stuck.ts')).stuck,
  },
  reconcile: {
    about: 'ask every rail that lists its books what it took since a moment, and make good what is missing here',
    load: async () => (await import('./reconcile.ts')).reconcile,
  },
  money: {
    about: 'unmatched: what rails told of and nobody could be given',
    loadGroup: async () => (await import('./money.ts')).money,
  },
  privacy: {
    about: 'export, erase, list: the data of one person, over all merchants',
    loadGroup: async () => (await import('./privacy.ts')).privacy,
  },
  backup: {
    about: 'write all there is into a folder, beside running nodes, sealed under a passphrase',
    load: async () => (await import('./backup/commands.ts')).backup,
  },
  restore: {
    about: 'make a new database of a backup; --check says whether it is whole',
    load: async () => (await import('./backup/commands.ts')).restore,
  },
  check: {
    about: 'whether a database is whole: its schema, its secrets, its money',
    load: async () => (await import('./backup/commands.ts')).check,
  },
  keys: {
    about: 'rotate-signing, reseal: the keys of this gateway',
    loadGroup: async () => (await import('./keys.ts')).keys,
  },
};

/** Runs one command to its end. Exit codes: 0 done, 1 failed, 2 the call or the configuration is wrong. */
export async function runCommand(args: string[], shell: Shell): Promise<number> {
  try {
    return await findAndRun(args, shell);
  } catch (error) {
    const isUsage =
      error instanceof ConfigError ||
      error instanceof UsageError ||
      String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
    const sentence = explainStart(error, error instanceof ConfigError ? null : readPlaces(shell));
    shell.complain(sentence ?? String(error instanceof Error ? error.message : error));
    return isUsage ? 2 : 1;
  }
}

/** Where the database is; null where these settings themselves are wrong. */
function readPlaces({ env }: Shell) {
  try {
    return readConfig(env, (name) => name === 'DATA_DIR' || name === 'DATABASE_URL');
  } catch {
    return null;
  }
}

async function findAndRun(args: string[], shell: Shell): Promise<number> {
  const loose = parseArgs({ args, strict: false, allowPositionals: true, options: COMMON_OPTIONS });
  const name = loose.positionals[0] ?? '';
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) {
    const isHelp = loose.values.help === true && name === '';
    (isHelp ? shell.say : shell.complain)((name && `There is no command ${name}.\n\n`) + describeUsage());
    return isHelp ? 0 : 2;
  }
  const isHelp = loose.values.help === true;
  const rest = args.toSpliced(args.indexOf(name), 1);
  if ('load' in entry) return runOne({ name, about: entry.about, command: await entry.load() }, rest, shell, isHelp);
  const [group, { commandOf, describeGroup }] = [await entry.loadGroup(), await import('./subcommand.ts')];
  const verb = loose.positionals[1] ?? '';
  const action = Object.hasOwn(group, verb) ? group[verb] : undefined;
  if (!action) {
    const isAsked = isHelp && verb === '';
    const wrong = verb && `There is no action ${name} ${verb}.\n\n`;
    (isAsked ? shell.say : shell.complain)(wrong + describeGroup(name, entry.about, group));
    return isAsked ? 0 : 2;
  }
  const named = { name: `${name} ${verb}`, about: action.about, command: commandOf(action) };
  return runOne(named, rest.toSpliced(rest.indexOf(verb), 1), shell, isHelp);
}

type Named = { name: string; about: string; command: Command };

async function runOne({ name, about, command }: Named, args: string[], shell: Shell, isHelp: boolean): Promise<number> {
  if (isHelp) {
    shell.say(describeCommand(name, about, command));
    return 0;
  }
  const call = readCall(command, args);
  const output = await command.run(call, shell);
  if (output) shell.say(call.isJson ? JSON.stringify(output.json, null, 2) : output.text);
  return 0;
}

/** @throws an ERR_PARSE_ARGS error for a flag that the command has not */
function readCall({ options }: Command, args: string[]) {
  const parsed = parseArgs({ args, allowPositionals: true, options: { ...options, ...COMMON_OPTIONS } });
  const values: Record<string, string | boolean | undefined> = { ...parsed.values };
  return { values, positionals: parsed.positionals, isJson: values['json'] === true };
}

function describeUsage(): string {
  const rows = Object.entries(COMMANDS).map(([name, { about }]) => [name, about]);
  return `Usage: npm run balcao -- <command> [--json]\n\n${alignRows(rows)}\n\n<command> --help says more.\n`;
}
