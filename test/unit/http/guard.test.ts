// The URLs that merchants may enter, and the IP addresses to which a host name may resolve.
import { describe, expect, test } from 'vitest';
import { checkResolves, checkUrl, type GuardOptions, type Refusal } from '../../../server/http/client/guard.ts';

const strict: GuardOptions = { allowLoopback: false };
const local: GuardOptions = { allowLoopback: true };

/** Forbidden URLs by the reason of their refusal. */
const HOSTILE: Record<Refusal, string[]> = {
  scheme: [
    'http://shop.ao/hook',
    'http://169.254.169.254/latest/meta-data/',
    'ftp://shop.ao/hook',
    'file:///etc/passwd',
    'data:application/json,{}',
    'javascript:alert(1)',
    'ws://shop.ao/',
    'view-source:https://shop.ao/',
  ],
  port: [
    'https://shop.ao:0/',
    'https://shop.ao:22/',
    'https://shop.ao:80/',
    'https://shop.ao:444/',
    'https://shop.ao:1023/',
    'https://41.63.160.1:22/',
  ],
  credentials: [
    'https://user@shop.ao/',
    'https://user:password@shop.ao/',
    'https://@shop.ao/',
    'https://:@shop.ao/',
    'https://shop.ao@127.0.0.1/',
    'https://shop.ao%40127.0.0.1@127.0.0.1/',
  ],
  fragment: ['https://shop.ao/hook#part', 'https://shop.ao/#', 'https://shop.ao/?a=1#@127.0.0.1/', 'https://shop.ao#'],
  host: [
    'https://localhost/',
    'https://localhost./',
    'https://api.localhost/',
    'https://localhost.localdomain/',
    'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
    'https://local%68ost/',
    'https://printer.local/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://metadata/',
    'https://balcao/',
    'https://kubernetes.default.svc.cluster.local/',
    'https://router.lan/',
    'https://nas.home/',
    'https://wiki.corp/',
    'https://wiki.intranet/',
    'https://wiki.private/',
    'https://ao./',
    'https://./',
    'https://shop..ao/',
    'https://.shop.ao/',
    'https://shop.ao../',
    `https://${'a'.repeat(64)}.ao/`,
    `https://${'a.'.repeat(126)}ao/`,
  ],
  address: [
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://127．0．0．1/',
    'https://127｡0｡0｡1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xa9fea9fe/',
    'https://255.255.255.255/',
    'https://4294967295/',
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
  ],
  syntax: [
    '',
    'shop.ao/hook',
    '//shop.ao/hook',
    'https://',
    'https:///shop.ao/',
    'https:shop.ao',
    'https:\\\\shop.ao\\',
    'https://shop.ao\\@127.0.0.1/',
    'https://shop.ao:65536/',
    'https://shop.ao:443:80/',
    'https://shop.ao:٤٤٣/',
    'https://256.256.256.256/',
    'https://shop.1/',
    'https://[::1/',
    'https://[fe80::1%eth0]/',
    'https://[::ffff:0x7f.1]/',
    'https://[127.0.0.1]/',
    'https://shop .ao/',
    ' https://shop.ao/',
    'https://shop.ao/\u0000',
    'https://shop.ao/\r\nHost: 127.0.0.1',
    'https://sh\top.ao/',
    'https://local\u00adhost/',
    'https://127.0.0.1\u200b/',
    'https://shop.ao\u2028/',
    'https://shop.ao/\u202emoc.live',
    'https://shop%00.ao/',
    'https://shop<.ao/',
    'https://127.0.0.1%2f@shop.ao\\',
  ],
  length: [
    `https://shop.ao/${'a'.repeat(2033)}`,
    `https://shop.ao/${'ç'.repeat(400)}`,
    `https://shop.ao/${'a/../'.repeat(500)}`,
  ],
};

describe.each(Object.entries(HOSTILE))('a URL with a forbidden %s', (reason, urls) => {
  test.each(urls)('is refused: %j', (url) => {
    expect(checkUrl(url, strict)).toBe(reason);
  });
});

test.each([
  'https://shop.ao',
  'https://shop.ao/',
  'HTTPS://SHOP.AO/Hook',
  'https://shop.ao:0443/hook',
  'https://shop.ao:8443/hook',
  'https://shop.ao:65535/hook',
  'https://shop.ao:/hook',
  'https://shop.ao./hook',
  'https://shop.ao/hook?token=a%20b&to=user@shop.ao',
  'https://shop.ao/?next=http://127.0.0.1/',
  'https://loja-são-joão.ao/pagamentos/olá',
  'https://my_shop.ao/',
  'https://localhost.shop.ao/',
  'https://127.0.0.1.nip.io/',
  'https://notlocalhost.com/',
  'https://mylocal.internal.ao/',
  'https://1e100.net/',
  'https://41.63.160.1/hook',
  'https://[2c0f:f248::1]/hook',
  `https://shop.ao/${'a'.repeat(2032)}`,
])('checkUrl allows %s', (url) => {
  expect(checkUrl(url, strict)).toBeNull();
});

describe('checkUrl in a sandbox that allows loopback', () => {
  test.each([
    'http://localhost:3000/hook',
    'http://localhost:22/hook',
    'http://127.0.0.1:3000/hook',
    'http://127.8.9.10:25/hook',
    'http://[::1]:3000/hook',
    'https://localhost:444/hook',
    'http://shop.ao/hook',
    'http://shop.ao:8080/hook',
    'https://shop.ao/hook',
    'https://shop.test:8443/hook',
  ])('allows %s', (url) => {
    expect(checkUrl(url, local)).toBeNull();
  });

  test.each([
    ['http://10.0.0.1:3000/', 'address'],
    ['http://169.254.169.254/', 'address'],
    ['http://0.0.0.0:3000/', 'address'],
    ['http://[::ffff:127.0.0.1]:3000/', 'address'],
    ['http://metadata.google.internal/', 'host'],
    ['http://redis:6379/', 'host'],
    ['http://localhost:0/', 'port'],
    ['http://shop.ao:22/', 'port'],
    ['http://localhost.shop.ao:22/', 'port'],
    ['https:user@shop.ao/https://shop.ao', 'syntax'],
    ['http://shop.ao:443/', 'port'],
    ['https://shop.ao:80/', 'port'],
    ['http://user@localhost:3000/', 'credentials'],
    ['http://localhost:3000/#x', 'fragment'],
    ['ftp://localhost/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    [' http://localhost:3000/', 'syntax'],
  ])('refuses %s (%s)', (url, reason) => {
    expect(checkUrl(url, local)).toBe(reason);
  });
});

describe('the IP addresses of a host name', () => {
  const resolvesTo = (addresses: string[], options: GuardOptions = strict, url = 'https://shop.ao/hook') =>
    checkResolves(url, { ...options, resolve: async () => addresses });

  test.each([[['41.63.160.1']], [['2c0f:f248::1']], [['41.63.160.1', '41.63.160.2', '2c0f:f248::1']]])(
    'are allowed: %j',
    async (addresses) => {
      expect(await resolvesTo(addresses)).toBeNull();
    },
  );

  test.each([
    [['127.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['fe80::1%eth0']],
    [['41.63.160.1', '127.0.0.1']],
    [['41.63.160.1', '2c0f:f248::1', '::1']],
    [['not an address']],
  ])('are refused: %j', async (addresses) => {
    expect(await resolvesTo(addresses)).toBe('address');
  });

  test('may be loopback in a sandbox that allows it, and no other private address', async () => {
    expect(await resolvesTo(['127.0.0.1', '::1'], local)).toBeNull();
    expect(await resolvesTo(['127.0.0.1', '41.63.160.1'], local)).toBeNull();
    expect(await resolvesTo(['127.0.0.1', '10.0.0.1'], local)).toBe('address');
    expect(await resolvesTo(['0.0.0.0'], local)).toBe('address');
  });

  test('include loopback for local names in such a sandbox', async () => {
    expect(await checkResolves('http://localhost:3000/', local)).toBeNull();
  });

  test('cannot be resolved if the name is unknown', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND shop.ao'), { code: 'ENOTFOUND', syscall: 'queryA' });
    };
    expect(await checkResolves('https://shop.ao/hook', { ...strict, resolve })).toBeNull();
  });

  test('are resolved for the host name in the URL, and never for an IP address', async () => {
    const queried: string[] = [];
    const resolve = async (name: string) => (queried.push(name), ['41.63.160.1']);
    await checkResolves('https://SHOP.ao:8443/hook?a=b', { ...strict, resolve });
    expect(await checkResolves('https://41.63.160.1/', { ...strict, resolve })).toBeNull();
    expect(await checkResolves('https://10.0.0.1/', { ...strict, resolve })).toBe('address');
    expect(await checkResolves('https://[::1]/', { ...strict, resolve })).toBe('address');
    expect(queried).toEqual(['shop.ao']);
  });
});
