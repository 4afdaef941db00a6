// Public IP addresses: the edges of every range, and every form of an IPv4 address inside an IPv6 address.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from '../../../server/http/client/public-address.ts';

/** The first and last IP address of each reserved range, and its neighbors (null: not public, or missing). */
const EDGES: [what: string, before: string | null, first: string, last: string, after: string | null][] = [
  ['this network', null, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['10/8', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['carriers’ NAT', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['loopback', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['Azure’s platform', '168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['link-local', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.16/12', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['protocol assignments', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
  ['documentation 1', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
  ['AS112', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
  ['AMT', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
  ['6to4 relays', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
  ['192.168/16', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['direct AS112', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
  ['benchmarking', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  ['documentation 2', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
  ['documentation 3', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ['multicast, reserved, broadcast', '223.255.255.255', '224.0.0.0', '255.255.255.255', null],
  ['below global unicast', null, '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  [
    'protocol assignments of IPv6',
    '2000:ffff:ffff::',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:200::',
  ],
  ['documentation of IPv6', '2001:db7:ffff::', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
  ['6to4', '2001:ffff:ffff::', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['AS112 of IPv6', '2620:4f:7fff::', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
  ['6bone', '3ffd:ffff::', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
  ['newer documentation', null, '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['above global unicast', '3fff:ffff:ffff::', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null],
];

describe.each(EDGES)('the reserved IP range %s', (_what, before, first, last, after) => {
  test.each([first, last])('contains %s, which is not public', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );
  test.each([before, after].filter((address) => address !== null))(
    'does not contain its public neighbor %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

test.each(['1.1.1.1', '41.63.160.1', '2606:4700:4700::1111', '2A00:1450:4001:80B::200E', '2c0f:f248::1'])(
  'a public address may be %s',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([
  '',
  ' ',
  'localhost',
  'example.com',
  '1.1.1',
  '1.1.1.1.1',
  '1.1.1.256',
  '01.1.1.1',
  '0x1.1.1.1',
  '1.1.1.1/32',
  '1.1.1.1 ',
  '[2606:4700:4700::1111]',
  '2606:4700:4700::1111%eth0',
  'fe80::1%eth0',
  '::1%lo',
  '2606:4700:4700:1111',
])('the text %j is not a public address', (address) => {
  expect(isPublicAddress(address)).toBe(false);
  expect(isLoopbackAddress(address)).toBe(false);
});

describe('an IPv4 address inside IPv6', () => {
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');
  const FORMS: [string, (dotted: string, high: string, low: string) => string][] = [
    ['mapped', (dotted) => `::ffff:${dotted}`],
    ['mapped, in hexadecimal', (_, high, low) => `::ffff:${high}:${low}`],
    ['mapped, in capitals', (dotted) => `::FFFF:${dotted}`],
    ['mapped, written out', (_, high, low) => `0000:0000:0000:0000:0000:ffff:${high}:${low}`],
    ['translated', (dotted) => `::ffff:0:${dotted}`],
    ['compatible', (dotted) => `::${dotted}`],
    ['compatible, in hexadecimal', (_, high, low) => `::${high}:${low}`],
    ['6to4', (_, high, low) => `2002:${high}:${low}::1`],
    ['NAT64', (dotted) => `64:ff9b::${dotted}`],
    ['NAT64 of a network', (dotted) => `64:ff9b:1::${dotted}`],
    ['Teredo', (_, high, low) => `2001:0:${high}:${low}::`],
  ];

  test.each(FORMS)('is neither public nor loopback: %s', (what, write) => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), ([a, b, c, d]) => {
        const address = write([a, b, c, d].join('.'), hex(a) + hex(b), hex(c) + hex(d));
        expect(isPublicAddress(address), address).toBe(false);
        // ::0.0.0.1 embeds no IPv4 address: it is ::1.
        const isItself = what.startsWith('compatible') && [a, b, c, d].join('.') === '0.0.0.1';
        expect(isLoopbackAddress(address), address).toBe(isItself);
      }),
      { examples: [[[127, 0, 0, 1]], [[169, 254, 169, 254]], [[8, 8, 8, 8]], [[0, 0, 0, 1]]] },
    );
  });
});

describe('a loopback address', () => {
  test.each(['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])('may be %s', (address) =>
    expect(isLoopbackAddress(address)).toBe(true),
  );
  test.each(['126.255.255.255', '128.0.0.1', '0.0.0.0', '::', '::2', '10.0.0.1', '::ffff:127.0.0.1', '::127.0.0.1'])(
    'is not %s',
    (address) => expect(isLoopbackAddress(address)).toBe(false),
  );
});
