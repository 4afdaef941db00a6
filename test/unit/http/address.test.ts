// The IP address that counts for rate limits, and the detection of calls from the private network.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAddress, isPrivateCall } from '../../../server/http/limits.ts';
import { makeContext } from '../../support/context.ts';

const addressOf = (peer: string, forwarded?: string, trustedProxies: string[] = []) =>
  clientAddress(
    makeContext({ peer, trustedProxies, headers: forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded } }),
  );

describe('the counted IP address of a direct client', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
  ])('%s counts as %s', (peer, counted) => {
    expect(addressOf(peer)).toBe(counted);
  });

  test.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::A', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ])('%s counts as its network %s', (peer, counted) => {
    expect(addressOf(peer)).toBe(counted);
  });

  test('is the /64 network of an IPv6 address in any spelling', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length });
    const spell = (parts: number[], wide: boolean, upper: boolean) => {
      const text = parts.map((part) => part.toString(16).padStart(wide ? 4 : 1, '0')).join(':');
      return upper ? text.toUpperCase() : text;
    };
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), fc.boolean(), fc.boolean(), (net, one, other, wide, upper) => {
        const counted = addressOf(spell([...net, ...one], false, false));
        expect(addressOf(spell([...net, ...other], wide, upper))).toBe(counted);
        expect(counted.endsWith('::/64')).toBe(true);
        const neighbour = [...net.slice(0, 3), (net[3] as number) ^ 1];
        expect(addressOf(spell([...neighbour, ...one], false, false))).not.toBe(counted);
      }),
    );
  });

  test('is the same for a spelling with omitted zeros', () => {
    fc.assert(
      fc.property(
        fc.nat(7),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 0xffff }),
        (start, length, fill) => {
          const parts = Array.from({ length: 8 }, (_, i) => (i >= start && i < start + length ? 0 : fill));
          const hex = parts.map((part) => part.toString(16));
          const short = `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
          expect(addressOf(short)).toBe(addressOf(hex.join(':')));
        },
      ),
    );
  });
});

describe('the counted IP address of a client behind a proxy', () => {
  const PROXY = '10.0.0.1';

  test('is the address of the proxy if the proxy is not trusted', () => {
    expect(addressOf('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
    expect(addressOf('203.0.113.7', '198.51.100.1', [PROXY])).toBe('203.0.113.7');
  });

  test.each([
    ['198.51.100.1', '198.51.100.1'],
    [' 198.51.100.1 ', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    // The client’s own text is to the left of the proxy’s entry.
    ['1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1, 198.51.100.1', '198.51.100.1'],
    ['unknown, 198.51.100.1', '198.51.100.1'],
    // The request passed two trusted proxies.
    ['198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['1.2.3.4, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    // Without a usable entry, the address of the proxy counts.
    ['', '10.0.0.1'],
  ])('for the forwarded header %j is %s', (forwarded, counted) => {
    expect(addressOf(PROXY, forwarded, [PROXY, '10.0.0.2'])).toBe(counted);
  });

  test('is the address of the proxy if the proxy forwards no address', () => {
    expect(addressOf(PROXY, undefined, [PROXY])).toBe(PROXY);
  });

  test.each([
    ['10.4.5.6', '198.51.100.1'],
    ['::ffff:10.4.5.6', '198.51.100.1'],
    ['11.0.0.1', '11.0.0.1'],
    ['fd00:1::9', '198.51.100.1'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('is the forwarded address if the proxy’s network is trusted: %s gives %s', (peer, counted) => {
    expect(addressOf(peer, '198.51.100.1, 10.200.0.1', ['10.0.0.0/8', 'fd00::/8'])).toBe(counted);
  });

  test('does not depend on the text to the left of the last entry', () => {
    fc.assert(
      fc.property(fc.string(), (written) => {
        expect(addressOf(PROXY, `${written}, 198.51.100.1`, [PROXY])).toBe('198.51.100.1');
      }),
    );
  });
});

describe('a private call', () => {
  const isPrivate = (peer: string, headers: Record<string, string> = {}) =>
    isPrivateCall(makeContext({ peer, headers }));

  test.each([
    '127.0.0.1',
    '127.9.9.9',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '::1',
    'fd00::1',
    '::ffff:10.0.0.1',
  ])('can come from %s', (peer) => {
    expect(isPrivate(peer)).toBe(true);
  });

  test.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '169.254.169.254',
    '2001:db8::1',
    '::ffff:8.8.8.8',
    'fe80::1',
  ])('cannot come from %s', (peer) => {
    expect(isPrivate(peer)).toBe(false);
  });

  test('cannot come through a proxy', () => {
    expect(isPrivate('127.0.0.1', { 'X-Forwarded-For': '127.0.0.1' })).toBe(false);
    expect(isPrivate('127.0.0.1', { Forwarded: 'for=127.0.0.1' })).toBe(false);
  });
});
