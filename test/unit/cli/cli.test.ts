import { PassThrough, Writable } from 'node:stream';
import type { Command } from 'commander';
import { beforeAll, describe, expect, test } from 'vitest';
import { TRIGGERS } from '../../../sandbox/triggers/triggers.ts';
import { systemClock } from '../../../server/clock.ts';
import { askConfirmation } from '../../../server/cli/operate.ts';
import { buildProgram } from '../../../server/cli/program.ts';
import { formatOutput } from '../../../server/cli/shell.ts';
import { EVENT_TYPES } from '../../../server/webhooks/schemas.ts';
import { runHere, startCli, startHere } from '../../support/cli.ts';
import { readText } from '../../support/source.ts';

const SHELL = {
  clock: systemClock,
  say: () => {},
  complain: () => {},
  terminal: { input: new PassThrough(), output: new PassThrough() },
  untilStopped: () => new AbortController().signal,
};

let names: string[];
beforeAll(async () => {
  const groups = (await buildProgram([], SHELL)).commands.map((group) => group.name());
  const { commands } = await buildProgram(groups, SHELL);
  const namesOf = (command: Command) => command.commands.map((child) => `${command.name()} ${child.name()}`);
  names = commands.flatMap((command) => (command.commands.length > 0 ? namesOf(command) : command.name()));
});

const MERCHANT = '0190a0b0-0000-7000-8000-000000000000';

describe('a command line', () => {
  test('without a command prints the commands and exits with 2', async () => {
    const { code, stdout, stderr } = await runHere();
    expect([code, stdout]).toEqual([2, '']);
    for (const name of names) expect(stderr).toContain(`\n  ${name.split(' ')[0]} `);
  });

  test.each<[string[], string]>([
    [['nope'], "Unknown command 'nope'"],
    [['constructor'], "Unknown command 'constructor'"],
    [['merchan'], '(Did you mean merchant?)'],
    [['config', '--nope'], "Unknown option '--nope'"],
    [['config', 'more'], 'Too many arguments'],
    [['listen'], "Required option '--forward-to <url>' not specified"],
    [['listen', '--forward-to'], "Option '--forward-to <url>' argument missing"],
    [['listen', '--forward-to', 'ftp://localhost/hook'], 'It must be an address'],
    [['listen', '--forward-to', 'localhost:3000'], 'It must be an address'],
    [['listen', '--forward-to', 'http://localhost:3000', '--after', 'yesterday'], 'It must be a cursor'],
    [['listen', '--forward-to', 'http://localhost:3000', '--access-key', 'á'], 'It must be visible ASCII'],
    [['listen', '--forward-to', 'http://localhost:3000', '--url', 'x'], 'It must be an address'],
    [['trigger'], "Missing required argument 'situation'"],
    [['trigger', 'payment.unheard_of'], 'There is no situation payment.unheard_of. The situations:'],
    [['trigger', 'payment.paid', 'payment.failed'], 'Too many arguments'],
    [['trigger', 'payment.paid', '--amount', 'many'], 'It must be an amount above 0'],
    [['trigger', 'payment.paid', '--amount', '0'], 'It must be an amount above 0'],
    [['merchant'], 'Usage: balcao merchant [options] [command]'],
    [['merchant', 'nope'], "Unknown command 'nope'"],
    [['--json', 'merchant', 'list', 'more'], 'Too many arguments'],
    [['merchant', 'set'], "Missing required argument 'merchantId'"],
    [['merchant', 'set', 'demo'], 'It must be an id such as'],
    [['merchant', 'set', MERCHANT, '--entity', '999'], 'It must be 5 digits, or none'],
    [['merchant', 'set', MERCHANT, '--gpo-pos-ids', 'a b'], 'It must be ids separated by commas'],
    [['merchant', 'set', MERCHANT, '--name', ''], 'It must be 1 to 100 characters'],
    [['merchant', 'create'], "Required option '--name <text>' not specified"],
    [['merchant', 'create', '--name', ' '], 'It must be 1 to 100 characters'],
    [['merchant', 'create', '--name', 'a'.repeat(101)], 'It must be 1 to 100 characters'],
    [['merchant', 'create', '--name', 'a\nb'], 'It must be 1 to 100 characters'],
    [['merchant', 'create', '--name', 'A', '--language', 'de'], 'Allowed choices are pt, en, fr'],
    [['merchant', 'create', '--name', 'A', '--owner-email', 'ana'], 'It must be an e-mail address'],
    [['user', 'grant', MERCHANT, 'ana', 'Owner'], 'It must be an e-mail address'],
    [['user', 'grant', MERCHANT, 'ana@exemplo.ao', 'King'], 'It must be one of Viewer, Cashier'],
    [['user', 'grant', MERCHANT, 'ana@exemplo.ao'], "Missing required argument 'role'"],
    [['rail', 'set', MERCHANT, '--kind', 'ppr'], "Unknown option '--kind'"],
    [['rail', 'test', 'appypay'], 'It must be an id such as'],
    [['stuck', 'requery', 'some'], 'It must be an id such as'],
    [['stuck', 'list', '--older-than', 'x'], 'It must be a whole number from 0'],
    [['sms', 'credit', MERCHANT, '0', '--description', 'x'], 'It must be a whole number from 1'],
    [['mail', 'test', 'ana'], 'It must be an e-mail address'],
    [['reconcile', '--since', 'yesterday'], 'It must be a time such as'],
    [['keys', 'reseal', '--yes'], "Unknown option '--yes'"],
    [['backup'], "Missing required argument 'file'"],
  ])('%j is refused with exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await runHere(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(expected);
    expect(stderr).not.toContain('    at ');
  });

  test('with --help prints the usage of every command', async () => {
    for (const name of ['', 'merchant', ...names]) {
      const { code, stdout, stderr } = await runHere(...name.split(' ').filter(Boolean), '--help');
      expect([name, code, stderr]).toEqual([name, 0, '']);
      expect(stdout).toContain(`Usage: balcao ${name}`.trimEnd());
      expect(stdout).toContain('--json');
    }
  });

  test.each(['-h', 'help', 'help merchant', 'config -h'])('for %s prints help', async (args) => {
    const { code, stdout, stderr } = await runHere(...args.split(' '));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: balcao /);
  });

  test('prints the settings of the environment as JSON', async () => {
    const { code, stdout } = await startCli(['--json', 'config'], { PORT: '8123' }).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'PORT', value: '8123' }));
  });

  test('exits with 2 for invalid settings in the environment', async () => {
    const { code, stdout, stderr } = await startHere(['config'], { env: { PORT: 'many' } }).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('PORT: ');
  });
});

test('docs/operate.md names every command', () => {
  const text = readText('docs/operate.md');
  expect(names.length).toBeGreaterThan(25);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

describe('triggers', () => {
  test('are listed as text and as JSON', async () => {
    const { stdout } = await runHere('trigger', 'list');
    const { stdout: json } = await runHere('trigger', 'list', '--json');
    const names = Object.keys(TRIGGERS);
    for (const name of names) expect(stdout).toContain(name);
    expect(JSON.parse(json).map(({ event }: { event: string }) => event)).toEqual(names);
  });

  test('are named by the event type that they cause', () => {
    const SUBJECTS_ONLY = /^(qrcode|reference\.(charged|overpaid|amount_mismatch|late|unheard))/;
    const plain = Object.keys(TRIGGERS).filter((name) => name.split('.').length === 2 && !SUBJECTS_ONLY.test(name));
    expect(plain.length).toBeGreaterThan(10);
    expect(plain.filter((name) => !EVENT_TYPES.includes(name))).toEqual([]);
  });
});

describe('the confirmation of an irreversible change', () => {
  const ask = async (typed: string | null, isTTY = true) => {
    const input = Object.assign(new PassThrough(), { isTTY });
    let told = '';
    const output = new Writable({ write: (chunk, _encoding, done) => ((told += chunk), done()) });
    const asked = askConfirmation('Padaria Sol loses its entity.', 'Padaria Sol', { input, output });
    if (typed === null) input.end();
    else input.write(`${typed}\n`);
    return { asked, told: () => told };
  };

  test.each(['Padaria Sol', '  Padaria Sol '])('continues after the answer %j', async (typed) => {
    const { asked, told } = await ask(typed);
    await asked;
    expect(told()).toContain('Padaria Sol loses its entity.\nType Padaria Sol to continue: ');
  });

  test.each(['', 'y', 'padaria sol', 'Padaria', null])('cancels after the answer %j', async (typed) => {
    const { asked } = await ask(typed);
    await expect(asked).rejects.toThrow('Nothing was changed.');
  });

  test('is refused without a terminal', async () => {
    const { asked } = await ask('Padaria Sol', false);
    await expect(asked).rejects.toThrow('there is no terminal. --yes confirms the change.');
  });
});

describe('a printed result', () => {
  test('has columns without trailing spaces', () => {
    const json = [
      { id: 'a', createdAt: 1, what: null, more: 'left out' },
      { id: 'longer', createdAt: new Date(0), what: ['x', 'y'] },
    ];
    const columns = ['id', 'createdAt', 'what'];
    expect(formatOutput({ json, columns })).toBe(
      'ID      CREATED AT            WHAT\na       1                     -\nlonger  1970-01-01T00:00:00Z  x, y',
    );
    expect(formatOutput({ json: [], columns })).toBe('No entries.');
  });

  test("contains no control characters of a rail's text", () => {
    expect(formatOutput({ json: [{ why: '\u001b[2Jgone\nPaid' }], columns: ['why'] })).toBe('WHY\n�[2Jgone�Paid');
  });

  test('has a line for each field of a single object', () => {
    const json = { id: 'x', hasLogo: false, origins: [], settings: { sender: 'LOJA' } };
    expect(formatOutput({ json })).toBe('id        x\nhasLogo   false\norigins   -\nsettings  {"sender":"LOJA"}');
  });
});
