// Resolves host names with a real name server. A name without a response does not delay other names.
import { createSocket, type Socket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createResolver, resolveLocally } from '../../../server/http/client/guard.ts';
import { until } from '../../support/app.ts';

/** The DNS records of each name by type: A and AAAA. */
const ZONE: Record<string, { 1?: string[]; 28?: string[] }> = {
  'both.ao': { 1: ['41.63.160.1', '41.63.160.2'], 28: ['2c0f:f248::1'] },
  'four.ao': { 1: ['41.63.160.3'] },
  'six.ao': { 28: ['2c0f:f248::2'] },
  'inside.ao': { 1: ['41.63.160.4', '10.0.0.1'] },
  'nothing.ao': {},
};

/** The responses for hangs.ao, which the server never sends. */
const held: (() => void)[] = [];
let server: Socket;
let address: string;
beforeAll(async () => {
  server = createSocket('udp4').on('message', (query, peer) => {
    const { name, answer } = answerQuery(query);
    const send = () => server.send(answer, peer.port, peer.address);
    if (name === 'hangs.ao') held.push(send);
    else send();
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  address = `127.0.0.1:${server.address().port}`;
});
afterAll(() => server.close());

/** Writes a response of RFC 1035: the bytes of the query, and answers that refer to the query's name. */
function answerQuery(query: Buffer): { name: string; answer: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const [name, type] = [labels.join('.').toLowerCase(), query.readUInt16BE(at + 1) as 1 | 28];
  const known = ZONE[name];
  const addresses = known?.[type] ?? [];
  const head = Buffer.from(query.subarray(0, at + 5));
  head.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
  head.writeUInt32BE((1 << 16) + addresses.length, 4);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((text) => {
    const bytes = packAddress(text);
    return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes]);
  });
  return { name, answer: Buffer.concat([head, ...records]) };
}

/** Converts an IPv4 address, or an IPv6 address of the form `a:b::n`, to bytes. */
function packAddress(text: string): Buffer {
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number));
  const [a = '', b = '', , c = ''] = text.split(':');
  const hex = [a, b, '0', '0', '0', '0', '0', c].map((group) => group.padStart(4, '0')).join('');
  return Buffer.from(hex, 'hex');
}

describe('createResolver', () => {
  test.each([
    ['both.ao', ['41.63.160.1', '41.63.160.2', '2c0f:f248::1']],
    ['four.ao', ['41.63.160.3']],
    ['six.ao', ['2c0f:f248::2']],
    ['inside.ao', ['41.63.160.4', '10.0.0.1']],
  ])('returns the IPv4 and IPv6 addresses of %s', async (name, addresses) => {
    expect((await createResolver([address])(name)).sort()).toEqual(addresses.sort());
  });

  test.each([
    ['unknown.ao', 'ENOTFOUND'],
    ['nothing.ao', 'ENODATA'],
  ])('fails for %s with %s', async (name, code) => {
    await expect(createResolver([address])(name)).rejects.toMatchObject({ code, syscall: 'queryA' });
  });

  test('resolves a name while twenty other names wait for a response', async () => {
    const resolve = createResolver([address]);
    let ended = 0;
    const hanging = Array.from({ length: 20 }, () => resolve('hangs.ao').catch(() => ended++));
    await until(() => held.length >= 40, 'all of them being asked for, both kinds of address');
    expect(await resolve('four.ao')).toEqual(['41.63.160.3']);
    expect(ended).toBe(0);
    for (const send of held) send();
    await Promise.all(hanging);
    expect(ended).toBe(20);
  });
});

test('resolveLocally returns loopback addresses for localhost', async () => {
  const addresses = await resolveLocally('localhost');
  expect(addresses.length).toBeGreaterThan(0);
  for (const found of addresses) expect(['127.0.0.1', '::1']).toContain(found);
});
