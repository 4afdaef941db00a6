// npm run balcao -- <command>: what operators and developers do from the shell.
import { parseArgs } from 'node:util';
import { alignRows, COMMON_OPTIONS, describeCommand, UsageError, type Command } from './cli/command.ts';
import { ConfigError } from './config.ts';

/** Loaded when called: a listener needs no database. */
type Entry = { about: string; load(): Promise<Command> };

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
  const command = await entry.load();
  if (loose.values.help) {
    console.log(describeCommand(name, entry.about, command));
    return 0;
  }
  const output = await command.run(readCall(command, args.toSpliced(args.indexOf(name), 1)));
  const isJson = loose.values.json === true;
  if (output) console.log(isJson ? JSON.stringify(output.json, null, 2) : output.text);
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
