// The command line by itself: calls that are wrong, help, and the reader of event streams.
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askPerson } from '../../server/cli/subcommand.ts';
import { readMessages, type StreamMessage } from '../../server/cli/follow.ts';
import { drawFields, drawTable } from '../../server/cli/command.ts';
import { TRIGGERS } from '../../sandbox/triggers/triggers.ts';
import { EVENT_TYPES } from '../../server/webhooks/schemas.ts';
import { runCli, runHere, startCli, startHere } from '../support/cli.ts';
import { GROUPS } from '../support/operator.ts';
import { readText } from '../support/source.ts';

async function* cut(...chunks: string[]) {
  yield* chunks;
}

const read = (...chunks: string[]): Promise<StreamMessage[]> => Array.fromAsync(readMessages(cut(...chunks)));

describe('an event stream', () => {
  test.each<[string, string, Partial<StreamMessage>[]]>([
    ['one message', 'id: 7\nevent: message\ndata: {"a":1}\n\n', [{ event: 'message', data: '{"a":1}', id: '7' }]],
    ['without a name', 'data: x\n\n', [{ event: 'message', data: 'x', id: null }]],
    ['several lines of data', 'data: a\ndata\ndata: b\n\n', [{ data: 'a\n\nb' }]],
    ['no space, or two', 'data:a\n\ndata:  b\n\n', [{ data: 'a' }, { data: ' b' }]],
    ['comments and hints are none', ':\n\nretry: 1000\n\n: beat\ndata: x\n\n', [{ data: 'x' }]],
    ['the last id stays', 'id: 1\ndata: a\n\ndata: b\n\n', [{ id: '1' }, { id: '1' }]],
    ['a name is of its message only', 'event: a\ndata: 1\n\ndata: 2\n\n', [{ event: 'a' }, { event: 'message' }]],
    ['lines that end with CR LF', 'id: 1\r\ndata: a\r\n\r\n', [{ data: 'a', id: '1' }]],
    ['lines that end with CR', 'id: 1\rdata: a\r\rdata: b\r\r:', [{ data: 'a', id: '1' }, { data: 'b' }]],
    ['colons in data', 'data: a: b\n\n', [{ data: 'a: b' }]],
    ['one that is not whole is none', 'data: a\n\ndata: b\n', [{ data: 'a' }]],
    ['nothing', '', []],
  ])('%s', async (_name, text, expected) => {
    expect(await read(text)).toMatchObject(expected);
    expect(await read(text)).toHaveLength(expected.length);
  });

  test('reads the same however it is cut', async () => {
    const line = fc.constantFrom('id: 1', 'id: 2', 'event: e', 'data: a', 'data: b:c', 'data', ': beat', '');
    const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(lines, fc.array(fc.nat(200), { maxLength: 8 }), async (parts, cuts) => {
        const text = parts.map((part) => part.join('')).join('');
        const places = [0, ...cuts.map((at) => Math.min(at, text.length)).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((to, nth) => text.slice(places[nth], to));
        expect(await read(...chunks)).toEqual(await read(text));
      }),
    );
  });
});

describe('calls', () => {
  test('without a command: what there is, and exit code 2', async () => {
    const { code, stdout, stderr } = await runCli();
    expect([code, stdout]).toEqual([2, '']);
    const others = ['config', 'rotate-signing-key', 'listen', 'trigger', 'replay'];
    for (const name of [...others, ...Object.keys(GROUPS)]) expect(stderr).toContain(name);
  });

  test.each([
    [['nope'], 'There is no command nope'],
    [['constructor'], 'There is no command constructor'],
    [['config', '--nope'], '--nope'],
    [['listen'], '--forward-to'],
    [['listen', '--forward-to', 'ftp://localhost/hook'], '--forward-to must be an address'],
    [['listen', '--forward-to', 'localhost:3000'], '--forward-to must be an address'],
    [['listen', '--forward-to', 'http://localhost:3000', '--after', 'yesterday'], '--after'],
    [['listen', '--forward-to', 'http://localhost:3000', '--access-key', 'á'], '--access-key'],
    [['listen', '--forward-to', 'http://localhost:3000', '--url', 'x'], '--url must be an address'],
    [['listen', '--forward-to', 'http://localhost:3000', 'more'], 'takes no more'],
    [['listen', '--forward-to'], '--forward-to'],
    [['trigger'], 'Name one event'],
    [['trigger', 'payment.unheard_of'], 'Name one event'],
    [['trigger', 'payment.paid', 'payment.failed'], 'Name one event'],
    [['trigger', 'payment.paid', '--amount', 'many'], '--amount'],
    [['trigger', 'payment.paid', '--amount', '0'], '--amount'],
    [['replay', 'some'], 'no id of a delivery'],
    [['replay', '0190a0b0-0000-7000-8000-000000000000', '--status', 'Skipped'], 'one delivery, or a filter'],
    [['replay', '--status', 'lost'], 'Pending, Delivered, Abandoned, Skipped'],
    [['replay', '--kind', 'letter'], 'callback, webhook'],
    [['replay', '--from', 'yesterday'], '--from must be a time'],
    [['replay', '--payment', 'a/b'], '--payment'],
    [['merchant'], 'Usage: npm run balcao -- merchant <action>'],
    [['merchant', 'nope'], 'There is no action merchant nope'],
    [['merchant', 'constructor'], 'There is no action merchant constructor'],
    [['--json', 'merchant', 'list', 'more'], 'takes no names'],
    [['merchant', 'show'], 'takes merchantId'],
    [['merchant', 'create', '--nope'], '--nope'],
    [['client', 'revoke', 'demo'], '--yes says that you are sure'],
    [['keys', 'reseal', '--yes'], '--yes'],
  ])('%j is wrong: exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await runHere(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(expected);
    expect(stderr).not.toContain('    at ');
  });

  test.each([
    ['--help'],
    ['-h'],
    ['listen --help'],
    ['trigger --help'],
    ['replay --help'],
    ['config -h'],
    ['merchant -h'],
  ])('%s helps', async (args) => {
    const { code, stdout, stderr } = await runHere(...args.split(' '));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: npm run balcao -- /);
  });

  test('nobody there: exit code 1 and a sentence', async () => {
    const { code, stdout, stderr } = await runCli('replay', '--url', 'http://127.0.0.1:1');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('http://127.0.0.1:1 does not answer: unreachable (ECONNREFUSED).\n');
  });

  test('config for programs, of the environment', async () => {
    const { code, stdout } = await startCli(['--json', 'config'], { PORT: '8123' }).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: 'PORT', value: '8123' }));
  });

  test('a configuration that is wrong: exit code 2', async () => {
    const { code, stdout, stderr } = await startHere(['config'], { env: { PORT: 'many' } }).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('PORT: ');
  });

  test('a process without a terminal is not asked', async () => {
    const { code, stderr } = await runCli('client', 'revoke', 'demo');
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no terminal to ask at')]);
  });
});

describe('triggers', () => {
  test('are listed, in words and for programs', async () => {
    const { stdout } = await runHere('trigger', 'list');
    const { stdout: json } = await runHere('trigger', 'list', '--json');
    const names = Object.keys(TRIGGERS);
    for (const name of names) expect(stdout).toContain(name);
    expect(JSON.parse(json).map(({ event }: { event: string }) => event)).toEqual(names);
  });

  test('those with the name of an event type are named as the catalog names it', () => {
    const SUBJECTS_ONLY = /^(qrcode|reference\.(charged|overpaid|amount_mismatch|late|unheard))/;
    const plain = Object.keys(TRIGGERS).filter((name) => name.split('.').length === 2 && !SUBJECTS_ONLY.test(name));
    expect(plain.length).toBeGreaterThan(10);
    expect(plain.filter((name) => !EVENT_TYPES.includes(name))).toEqual([]);
  });
});

describe('the operator’s nouns', () => {
  const actions = Object.entries(GROUPS).flatMap(([noun, group]) => Object.keys(group).map((verb) => [noun, verb]));

  test('help names every action, and each action its names and options', async () => {
    const { stdout } = await runHere('user', '--help');
    for (const verb of Object.keys(GROUPS['user'] ?? {})) expect(stdout).toContain(`\n  ${verb}`);
    const help = await runHere('client', 'rotate', '--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/^Usage: npm run balcao -- client rotate <clientId> \[options\]\n\nA new secret/);
    expect(help.stdout).toMatch(/--overlap-hours <hours> .+\(24\)\n/);
    expect(help.stdout).toContain('--yes');
    expect(help.stdout).toContain('--json');
  });

  test.each(actions)('docs/operate.md tells of %s %s', (noun, verb) => {
    expect(readText('docs/operate.md')).toMatch(new RegExp(`\\b${noun} ${verb}\\b`));
  });
});

describe('the question before what does not come back', () => {
  /** A terminal at which `typed` comes; what it was asked. */
  const ask = async (typed: string | null, isTTY = true) => {
    const input = Object.assign(new PassThrough(), { isTTY });
    let told = '';
    const output = new Writable({ write: (chunk, _encoding, done) => ((told += chunk), done()) });
    const asked = askPerson('Padaria Sol loses its entity.', 'Padaria Sol', { input, output });
    if (typed === null) input.end();
    else input.write(`${typed}\n`);
    return { asked, told: () => told };
  };

  test.each(['Padaria Sol', '  Padaria Sol '])('goes on for %j', async (typed) => {
    const { asked, told } = await ask(typed);
    await asked;
    expect(told()).toContain('Padaria Sol loses its entity.\nType Padaria Sol to go on: ');
  });

  test.each(['', 'y', 'padaria sol', 'Padaria', null])('changes nothing for %j', async (typed) => {
    const { asked } = await ask(typed);
    await expect(asked).rejects.toThrow('Nothing was changed.');
  });

  test('is a wrong call where nobody can be asked', async () => {
    const { asked } = await ask('Padaria Sol', false);
    await expect(asked).rejects.toThrow('there is no terminal to ask at: --yes says that you are sure');
  });
});

describe('lists', () => {
  test('in columns, without trailing spaces', () => {
    const rows = [
      ['a', 1, null],
      ['longer', new Date(0), ['x', 'y']],
    ];
    expect(drawTable(['id', 'when', 'what'], rows, 'none')).toBe(
      'ID      WHEN                  WHAT\na       1                     -\nlonger  1970-01-01T00:00:00Z  x, y',
    );
    expect(drawTable(['id'], [], 'There are none.')).toBe('There are none.');
  });

  test('a rail’s words cannot steer the terminal', () => {
    expect(drawTable(['why'], [['\u001b[2Jgone\nPaid']], 'none')).toBe('WHY\n�[2Jgone�Paid');
  });

  test('of one thing', () => {
    expect(drawFields({ id: 'x', hasLogo: false, origins: [] })).toBe('id       x\nhasLogo  false\norigins  -');
  });
});
