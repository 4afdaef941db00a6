// readOrigin accepts a single origin only, because a content security policy would misread other text.
import { describe, expect, test } from 'vitest';
import { readOrigin } from '../../../server/merchants/schemas.ts';

test.each([
  ['https://loja.example', 'https://loja.example'],
  ['https://LOJA.Example:443', 'https://loja.example'],
  ['HTTPS://loja.example:8443', 'https://loja.example:8443'],
  ['https://café.example', 'https://xn--caf-dma.example'],
  ['https://a_b.loja-1.example', 'https://a_b.loja-1.example'],
  ['https://203.0.113.7:8443', 'https://203.0.113.7:8443'],
  ['https://[2001:DB8::1]', 'https://[2001:db8::1]'],
  ['https://localhost:3000', 'https://localhost:3000'],
])('readOrigin reads %s as %s', (text, origin) => {
  for (const isSandbox of [true, false]) expect(readOrigin(text, isSandbox)).toBe(origin);
});

test.each([
  '',
  'loja.example',
  '//loja.example',
  'https://',
  'https://loja.example/',
  'https://loja.example/checkout',
  'https://loja.example?x',
  'https://loja.example#x',
  'https://ana@loja.example',
  'https://ana:senha@loja.example',
  'https:\\\\loja.example',
  'https://loja.example\\x',
  ' https://loja.example',
  'https://loja.example ',
  'https://loja.example\n',
  'https://lo ja.example',
  'https://*.loja.example',
  'https://*',
  "https://loja.example;script-src'unsafe-inline'",
  'https://loja.example,https://x.example',
  'https://loja.example;',
  "https://'self'",
  'https://loja.example:99999',
  'https://loja..example',
  'ftp://loja.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'null',
  'http://loja.example',
  'http://10.0.0.1',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  `https://${'a'.repeat(300)}.example`,
])('readOrigin refuses %j', (text) => {
  for (const isSandbox of [true, false]) expect(readOrigin(text, isSandbox)).toBeNull();
});

describe('readOrigin over plain HTTP', () => {
  test.each([
    'http://localhost',
    'http://localhost:5173',
    'http://loja.localhost:80',
    'http://127.0.0.1:3000',
    'http://127.9.8.7',
    'http://[::1]:3000',
  ])('accepts %s in the sandbox only', (text) => {
    expect(readOrigin(text, true)).toBe(new URL(text).origin);
    expect(readOrigin(text, false)).toBeNull();
  });
});
