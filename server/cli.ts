// npm run balcao -- <command>: what operators and developers do from the shell.
import { parseArgs } from 'node:util';
import type { Group } from './cli/action.ts';
import { alignRows, COMMON_OPTIONS, describeCommand, UsageError, type Command } from './cli/command.ts';
import { keepCompiled } from './compiled.ts';
import { ConfigError } from './config.ts';

keepCompiled();

/** Loaded when called: a listener needs no database. A noun has several actions. */
type Entry = { about: string } & ({ load(): Promise<Command> } | { loadGroup(): Promise<Group> });

const COMMANDS: Record<string, Entry> = {
  config: {
    about: 'every setting with its meaning and value in force; secrets are masked',
    load: async () => (await import('./cli/settings.ts')).settings,
  },
  'rotate-signing-key': {
    about: 'sign access tokens with a new key; tokens of the old one live out their hour',
    load: async () => (await import('./cli/signing-key.ts')).rotateSigningKey,
  },
  listen: {
    about: 'forward a merchant’s callbacks to a program on this machine, as they happen',
    load: async () => (await import('./cli/listen.ts')).listen,
  },
  trigger: {
    about: 'make a sandbox produce a situation, such as a reference that is paid twice',
    load: async () => (await import('./cli/trigger.ts')).trigger,
  },
  replay: {
    about: 'have the gateway send callbacks again: one, or all that fit a filter',
    load: async () => (await import('./cli/replay.ts')).replay,
  },
  merchant: {
    about: 'list, show, create, set: the merchants of this gateway',
    loadGroup: async () => (await import('./cli/merchant.ts')).merchant,
  },
  client: {
    about: 'list, rotate, revoke: their API clients',
    loadGroup: async () => (await import('./cli/client.ts')).client,
  },
  user: {
    about: 'list, grant, revoke, unlock, reset-mfa: their people',
    loadGroup: async () => (await import('./cli/user.ts')).user,
  },
  terminal: {
    about: 'list, add, remove: their points of sale',
    loadGroup: async () => (await import('./cli/terminal.ts')).terminal,
  },
  sms: {
    about: 'credit, balance: their SMS units',
    loadGroup: async () => (await import('./cli/sms.ts')).sms,
  },
  plan: {
    about: 'list, create, retire: what they can subscribe to',
    loadGroup: async () => (await import('./cli/plan.ts')).plan,
  },
  invoice: {
    about: 'list: what they owe',
    loadGroup: async () => (await import('./cli/invoice.ts')).invoice,
  },
  stuck: {
    about: 'list, requery: what has no outcome, and why',
    loadGroup: async () => (await import('./cli/stuck.ts')).stuck,
  },
  money: {
    about: 'unmatched: what rails told of and nobody could be given',
    loadGroup: async () => (await import('./cli/money.ts')).money,
  },
  keys: {
    about: 'rotate-signing, reseal: the keys of this gateway',
    loadGroup: async () => (await import('./cli/keys.ts')).keys,
  },
};

/** Exit codes: 0 done, 1 failed, 2 the call or the configuration is wrong. */
async function runCommand(args: string[]): Promise<number> {
  const loose = parseArgs({ args, strict: false, allowPositionals: true, options: COMMON_OPTIONS });
  const name = loose.positionals[0] ?? '';
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) {
    const isHelp = loose.values.help === true && name === '';
    (isHelp ? console.log : console.error)((name && `There is no command ${name}.\n\n`) + describeUsage());
    return isHelp ? 0 : 2;
  }
  const isHelp = loose.values.help === true;
  const rest = args.toSpliced(args.indexOf(name), 1);
  if ('load' in entry) return runOne({ name, about: entry.about, command: await entry.load() }, rest, isHelp);
  const [group, { commandOf, describeGroup }] = [await entry.loadGroup(), await import('./cli/action.ts')];
  const verb = loose.positionals[1] ?? '';
  const action = Object.hasOwn(group, verb) ? group[verb] : undefined;
  if (!action) {
    const isAsked = isHelp && verb === '';
    const wrong = verb && `There is no action ${name} ${verb}.\n\n`;
    (isAsked ? console.log : console.error)(wrong + describeGroup(name, entry.about, group));
    return isAsked ? 0 : 2;
  }
  const named = { name: `${name} ${verb}`, about: action.about, command: commandOf(action) };
  return runOne(named, rest.toSpliced(rest.indexOf(verb), 1), isHelp);
}

type Named = { name: string; about: string; command: Command };

async function runOne({ name, about, command }: Named, args: string[], isHelp: boolean): Promise<number> {
  if (isHelp) {
    console.log(describeCommand(name, about, command));
    return 0;
  }
  const call = readCall(command, args);
  const output = await command.run(call);
  if (output) console.log(call.isJson ? JSON.stringify(output.json, null, 2) : output.text);
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

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  const isUsage =
    error instanceof ConfigError ||
    error instanceof UsageError ||
    String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS');
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
