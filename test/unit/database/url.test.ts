import { describe, expect, test } from 'vitest';
import { readDatabaseUrl } from '../../../server/database-url.ts';

const hostsOf = (url: string) => readDatabaseUrl(url).hosts.map(({ name, port }) => `${name} ${port}`);

describe('readDatabaseUrl', () => {
  test.each([
    ['postgres://u:p@h/d', ['h 5432']],
    ['postgresql://u@h:6432/d', ['h 6432']],
    ['postgres://u@h1:1,h2:2,h3/d', ['h1 1', 'h2 2', 'h3 5432']],
    ['postgres://u@[::1]:7,[fe80::1]/d', ['::1 7', 'fe80::1 5432']],
    ['postgres://u@%2Fvar%2Frun%2Fpostgresql/d', ['/var/run/postgresql 5432']],
    ['postgres://u@%2Ftmp:6000/d', ['/tmp 6000']],
    ['postgres:///d?host=/var/run/postgresql', ['/var/run/postgresql 5432']],
    ['postgres://u@/d?host=/tmp&port=6000', ['/tmp 6000']],
    ['postgres:///d?host=a,b&port=1,2', ['a 1', 'b 2']],
    ['postgres:///d?host=a,b&port=1', ['a 1', 'b 1']],
    ['postgres://u@ignored:9/d?host=h', ['h 5432']],
    ['postgres:///d', ['localhost 5432']],
  ])('returns the hosts of %s', (url, hosts) => {
    expect(hostsOf(url)).toEqual(hosts);
  });

  test('decodes user, password and database, also from the query', () => {
    const read = readDatabaseUrl('postgres://a%40b:p%2Fw%3A%25@h/my%20base');
    expect(read).toMatchObject({ user: 'a@b', password: 'p/w:%', database: 'my base' });
    const other = readDatabaseUrl('postgres://h?user=u&password=p%26w&dbname=d');
    expect(other).toMatchObject({ user: 'u', password: 'p&w', database: 'd' });
    expect(readDatabaseUrl('postgres://u@h')).toMatchObject({ database: 'u', password: undefined });
  });

  test('reads the options of the connection', () => {
    const query =
      'connect_timeout=3&application_name=balcao&options=-c%20work_mem%3D8MB&target_session_attrs=read-write&keepalives=0&channel_binding=disable';
    expect(readDatabaseUrl(`postgres://h/d?${query}`)).toMatchObject({
      connectWithinMs: 3_000,
      applicationName: 'balcao',
      options: '-c work_mem=8MB',
      mustWrite: true,
      keepsAlive: false,
      bindsChannel: false,
    });
    const unset = { connectWithinMs: null, mustWrite: false, keepsAlive: true, tlsMode: 'prefer' };
    expect(readDatabaseUrl('postgres://h/d?connect_timeout=0')).toMatchObject(unset);
  });

  test.each([
    ['sslmode=disable', 'disable'],
    ['sslmode=require', 'require'],
    ['sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-ca'],
    ['sslrootcert=system', 'verify-full'],
    ['ssl=true', 'require'],
    ['sslrootcert=/ca.pem', 'prefer'],
  ])('reads the TLS mode of %s as %s', (query, mode) => {
    expect(readDatabaseUrl(`postgres://h/d?${query}`).tlsMode).toBe(mode);
  });

  test.each([
    ['mysql://h/d', 'must be postgresql://'],
    ['postgres://h:port/d', 'h:port is not a host'],
    ['postgres://h:70000/d', '70000 is not a port'],
    ['postgres://h/d?host=a,b,c&port=1,2', '2 ports for 3 hosts'],
    ['postgres://h/d?sslmode=verify', 'sslmode must be one of'],
    ['postgres://h/d?sslMode=require', 'sslMode is not a supported connection setting'],
    ['postgres://h/d?sslmode=verify-full', 'needs sslrootcert'],
    ['postgres://h/d?sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
    ['postgres://h/d?sslcert=/c', 'sslcert and sslkey must be set together'],
    ['postgres://h/d?target_session_attrs=standby', 'target_session_attrs must be one of'],
    ['postgres://h/d?connect_timeout=soon', 'is not a number of seconds'],
    ['postgres://h/d?client_encoding=LATIN1', 'client_encoding must be one of'],
    ['postgres://h/d?options', 'options has no value'],
    ['postgres://u:50%@h/d', 'must be written as %25'],
  ])('refuses %s', (url, words) => {
    expect(() => readDatabaseUrl(url)).toThrow(words);
  });
});
