// The SMS client against a server that misbehaves: whatever happens on the way, an outcome is a value.
import { describe, expect, test } from 'vitest';
import type { SmsOrder, SmsOutcome } from '../../../server/providers/message.ts';
import { createSmsRail, writeMessage } from '../../../server/providers/sms/client.ts';
import type { RailOptions } from '../../../server/providers/ask.ts';
import { badAnswers, BEGINNINGS, connectRail, outwait, readSigned } from '../../support/rail-server.ts';
import { smsById } from '../../support/rail-by-id.ts';

const createSms = (options: RailOptions) => smsById(createSmsRail(options));

const ID = '0198f3a2-7c11-7e55-9d20-6a1f0c3b9e08';
const ORDER: SmsOrder = { messageId: ID, sender: 'BALCAO', to: '+244923456789', text: 'Olá, Ana: 🇦🇴' };

const CALLS: [string, (rail: ReturnType<typeof smsById>) => Promise<SmsOutcome>][] = [
  ['send', (rail) => rail.send(ORDER)],
  ['query', (rail) => rail.query(ID)],
];

const unknown = (reason: string) => ({ result: 'unknown', reason, occurredAt: null });

test('every call signs its path, and reads its answer', async () => {
  const seen: unknown[] = [];
  const { rail, clock } = await connectRail(createSms, async (req, res) => {
    const { method, path, body, isSigned } = await readSigned(req, clock.now());
    seen.push([method, path, body, isSigned]);
    const status = method === 'POST' ? 'QUEUED' : 'SENT';
    res.writeHead(method === 'POST' ? 202 : 200).end(JSON.stringify({ id: ID, status }));
  });
  const accepted = { result: 'accepted', reason: null, occurredAt: null };
  expect(await rail.send(ORDER)).toEqual(accepted);
  expect(await rail.query(ID)).toEqual(accepted);
  expect(await rail.query('a/b?c')).toEqual(unknown('other_message'));
  expect(seen).toEqual([
    ['POST', '/v1/messages', writeMessage(ORDER), true],
    ['GET', `/v1/messages/${ID}`, '', true],
    ['GET', '/v1/messages/a%2Fb%3Fc', '', true],
  ]);
});

describe.each(CALLS)('%s', (_name, call) => {
  test.each(BEGINNINGS)('gives up %s when the clock says so, and knows nothing', async (_when, begin) => {
    expect(await outwait(createSms, begin, call)).toEqual(unknown('timeout'));
  });

  test.each(badAnswers())('%s is unknown: %s', async (_what, reason, listener) => {
    const { rail } = await connectRail(createSms, listener);
    expect(await call(rail)).toEqual(unknown(reason));
  });

  test('nobody at the address is unknown', async () => {
    const { rail, stop } = await connectRail(createSms, () => {});
    await stop();
    expect(await call(rail)).toEqual(unknown('unreachable'));
  });
});
