// What every connector of messages makes of a sending that is lost on its way, there or back: nobody knows whether it was sent.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import type { FakeAnswer } from '../fake.ts';
import { outwait } from '../rig.ts';
import { makeOrder, NOBODY, reopen, SENDER, unpack } from '../sms-rig.ts';

/** What goes wrong, why it is unknown then, and how many messages the rail has taken by then. */
const LOSSES = [
  ['drop_before', 'connection', 0],
  ['error_before', 'rail_error', 0],
  ['drop_after', 'connection', 1],
  ['error_after', 'rail_error', 2],
  ['garbage', 'unreadable', 3],
  ['oversize', 'too_large', 4],
] as const;

/** The cases of sendings without an answer that can be believed. */
export function describeSmsLosses<Book extends { messages: unknown[]; instead: FakeAnswer | null }>() {
  const cases: ContractCase<Book>[] = [
    {
      name: 'a lost answer, an error or an unreadable one is unknown and without an id, whether the message was taken or not',
      async run(rig) {
        const { sms, book, fake } = unpack(rig);
        for (const [fault, expected, taken] of LOSSES) {
          fake.fault(fault);
          const { result, reason, railMessageId } = await sms.send(makeOrder({ messageId: `lost-by-${fault}` }));
          assert.deepEqual([result, reason, railMessageId], ['unknown', expected, null], fault);
          assert.equal(book.messages.length, taken, fault);
        }
      },
    },
    {
      name: 'an answer that never comes is unknown when the account’s time is over',
      async run(rig) {
        const { sms, book, fake } = unpack(rig);
        fake.fault('hang');
        const { result, reason } = await outwait(rig, () => sms.send(makeOrder()));
        assert.deepEqual([result, reason, book.messages.length], ['unknown', 'timeout', 1]);
      },
    },
    {
      name: 'a rail that cannot be reached leaves it unknown, and says that nothing was received',
      async run(rig) {
        const { sms } = reopen(rig, { settings: { sender: SENDER, baseUrl: NOBODY } });
        const { result, reason } = await sms.send(makeOrder());
        assert.deepEqual([result, reason], ['unknown', 'unreachable']);
      },
    },
    {
      name: 'a redirect is not followed, and nobody else sees the key',
      async run(rig) {
        const { sms, book, fake } = unpack(rig);
        book.instead = { status: 307, body: {}, headers: { Location: `${fake.url}/elsewhere` } };
        assert.equal((await sms.send(makeOrder())).result, 'unknown');
        assert.equal(fake.requests.length, 1);
      },
    },
  ];
  return cases;
}
