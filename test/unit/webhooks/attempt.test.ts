import { beforeAll, describe, expect, test } from 'vitest';
import { createTargets, sendMessage, type Result, type Targets } from '../../../server/webhooks/send.ts';
import type { Config } from '../../../server/config.ts';
import { systemClock } from '../../../server/clock.ts';
import { startReceiver, CONFIRMATION, type Receiver, type ReceiverAnswer } from '../../support/receiver.ts';

let receiver: Receiver;
let targets: Targets;
beforeAll(async () => {
  receiver = await startReceiver();
  const config = { isSandbox: true, CALLBACK_ALLOW_LOOPBACK: true } as Config;
  targets = createTargets({ config, publicUrl: 'https://gateway.example' }, receiver.url);
  return () => targets.close();
});

async function attempt(said: ReceiverAnswer, kind: 'callback' | 'webhook' = 'callback'): Promise<Result> {
  receiver.answerWith(said);
  receiver.requests.length = 0;
  return sendMessage(systemClock, targets, kind, { url: `${receiver.url}/hook`, headers: {}, body: '{}' });
}

const CONFIRMED = { Success: true };

describe('a callback', () => {
  test.each<[string, Exclude<ReceiverAnswer, string>]>([
    ['Success', { body: CONFIRMED }],
    ['success', { body: { success: true } }],
    ['Success: true beside success: false', { body: { Success: true, success: false } }],
    ['status 201', { status: 201, body: CONFIRMATION.body }],
    ['status 299', { status: 299, body: CONFIRMATION.body }],
    ['JSON with another content type', { body: '{"Success":true}', headers: { 'content-type': 'text/html' } }],
    ['JSON within whitespace', { body: ' \r\n{"Success" : true}\n ' }],
    ['JSON after a byte order mark', { body: '\u{feff}{"Success":true}' }],
    ['JSON of 60 KiB', { body: { ...CONFIRMED, Obs: 'x'.repeat(60 * 1024) } }],
  ])('is delivered by %s', async (_name, said) => {
    expect(await attempt(said)).toMatchObject({ outcome: 'delivered', status: said.status ?? 200, error: null });
  });

  test.each<[string, ReceiverAnswer, outcome: string]>([
    ['Success: false', { body: { Success: false } }, 'refused'],
    ['Success as text', { body: { Success: 'true' } }, 'refused'],
    ['Success as a number', { body: { Success: 1 } }, 'refused'],
    ['Success: null', { body: { Success: null } }, 'refused'],
    ['SUCCESS', { body: { SUCCESS: true } }, 'refused'],
    ['true alone', { body: 'true' }, 'refused'],
    ['null alone', { body: 'null' }, 'refused'],
    ['a list', { body: [CONFIRMED] }, 'refused'],
    ['a nested Success', { body: { data: CONFIRMED } }, 'refused'],
    ['an empty body', { body: '' }, 'refused'],
    ['status 204', { status: 204 }, 'refused'],
    ['HTML', { body: '<p>OK</p>', headers: { 'content-type': 'text/html' } }, 'refused'],
    ['truncated JSON', { body: '{"Success":true' }, 'refused'],
    ['JSON of 70 KiB', { body: { ...CONFIRMED, Obs: 'x'.repeat(70 * 1024) } }, 'refused'],
    ['status 304', { status: 304 }, 'status'],
    ['status 404 with Success', { status: 404, body: CONFIRMED }, 'status'],
    ['status 500 with Success', { status: 500, body: CONFIRMED }, 'status'],
    ['a closed connection', 'drop', 'connection'],
  ])('is not delivered by %s', async (_name, said, outcome) => {
    expect(await attempt(said)).toMatchObject({ outcome });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect %i', async (status) => {
    const result = await attempt({ status, headers: { location: `${receiver.url}/elsewhere` }, body: CONFIRMED });
    expect(result).toMatchObject({ outcome: 'status', status });
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook']);
  });
});

describe('a webhook', () => {
  test.each([200, 201, 202, 204, 299])('is delivered by status %i with any body', async (status) => {
    const said = { status, ...(status !== 204 && { body: { Success: false } }) };
    expect(await attempt(said, 'webhook')).toMatchObject({ outcome: 'delivered', status });
  });

  test.each([302, 404, 410, 500])('is not delivered by status %i', async (status) => {
    expect(await attempt({ status, body: CONFIRMED }, 'webhook')).toMatchObject({ outcome: 'status', status });
  });
});

describe('the stored response of a delivery attempt', () => {
  const answerTo = async (body: string) => (await attempt({ status: 500, body })).answer ?? '';

  test('is at most the first 2 KiB, and ends with a complete character', async () => {
    const answer = await answerTo(`x${'ã'.repeat(2_000)}`);
    expect([answer.length, answer.at(-1)]).toEqual([1_024, 'ã']);
  });

  test('has U+FFFD in place of NUL, and still at most 2 KiB', async () => {
    const answer = await answerTo(`a\0b${'\0'.repeat(3_000)}`);
    expect(answer.slice(0, 3)).toBe('a\u{fffd}b');
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(2_048);
  });

  test('has U+FFFD in place of bytes that are not UTF-8', async () => {
    expect(await answerTo('não é \ud800 válido')).toBe('não é \u{fffd} válido');
  });
});
