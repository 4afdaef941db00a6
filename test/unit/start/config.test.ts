import { describe, expect, test } from 'vitest';
import { ConfigError, listConfig, readConfig } from '../../../server/config.ts';

const KEY = `a:${Buffer.alloc(32, 1).toString('base64')}`;
const PRODUCTION = {
  BALCAO_ENV: 'production',
  DATABASE_URL: 'postgres://balcao:pw-of-database@db.internal/balcao',
  SECRETS_KEYS: KEY,
  PUBLIC_URL: 'https://pay.example',
  GPO_URL: 'https://rail.example',
  GPO_KEY: 'sixteen letters or more',
  SMTP_URL: 'smtps://balcao:pw-of-mail@mail.example',
  MAIL_FROM: 'Balcão <no-reply@pay.example>',
  TRUSTED_PROXIES: '10.0.0.1',
};

function namesRefused(source: Record<string, string | undefined>): string[] {
  return faultsOf(source).map((fault) => fault.split(':')[0] as string);
}

function faultsOf(source: Record<string, string | undefined>): string[] {
  try {
    readConfig(source);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

const WRONG_VALUES: Record<string, string[]> = {
  BALCAO_ENV: ['prod', 'Production', 'test'],
  PORT: ['http', '-1', '65536', '80.5', 'NaN', '8080abc'],
  PUBLIC_URL: ['pay.example', 'ftp://pay.example', 'https://', '/pay'],
  DATABASE_URL: ['mysql://h/d', 'localhost:5432', 'postgres'],
  DATABASE_POOL: ['1', '101', 'many', '2.5'],
  CLOCK_TOLERANCE_S: ['-1', '0.5', 'five'],
  DRAIN_S: ['-1', '601', 'soon'],
  REDIS_URL: ['http://h', 'localhost:6379'],
  SECRETS_KEYS: [
    'short:AAAA',
    Buffer.alloc(32).toString('base64'),
    `${KEY},`,
    `${KEY} `,
    `a b:${KEY.slice(2)}`,
    `:${KEY.slice(2)}`,
    `a:${Buffer.alloc(31).toString('base64')}`,
    `a:${Buffer.alloc(33).toString('base64')}`,
    // The first key encrypts new values, so this list must not lose it.
    'a:lost',
    `a:lost,${KEY}`,
    // Two keys share one id, so the second could never decrypt a value.
    `${KEY},a:${Buffer.alloc(32, 2).toString('base64')}`,
  ],
  SANDBOX_PASSWORD: ['short', 'elevenchars'],
  TRUSTED_PROXIES: [
    'proxy.example',
    '10.0.0.1 10.0.0.2',
    '10.0.0.1,proxy',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    'fd00::/129',
    '10.0.0.0/',
    '10.0.0.0/ 8',
    // These ranges contain all IP addresses, so every client could forge its address.
    '0.0.0.0/0',
    '::/0',
    'none,10.0.0.1',
    'None',
  ],
  ...Object.fromEntries(
    ['WRITE', 'READ', 'TERMINAL', 'CONSOLE', 'HINTS', 'PUBLIC'].map((limit) => [
      `RATE_LIMIT_${limit}`,
      ['-1', 'off', '1.5'],
    ]),
  ),
  PUSHES_PER_PHONE: ['-1', 'off', '1.5'],
  STREAMS_PER_PAYMENT: ['-1', 'off', '1.5'],
  CALLBACK_ALLOW_LOOPBACK: ['maybe', '2'],
  GPO_URL: ['rail.example', 'ftp://rail.example'],
  GPO_KEY: ['too short'],
  PPR_URL: ['ftp://rail', 'rail'],
  PPR_KEY: ['too short'],
  PPR_TIMEOUT_S: ['0', '-1', 'soon', '86401'],
  PPR_PREFIX: ['1234567', 'A1', '-1'],
  SMS_URL: ['ftp://sms', 'sms'],
  SMS_KEY: ['too short'],
  SMS_TIMEOUT_S: ['0', '-1', 'soon', '86401'],
  SMS_SENDER: ['ABCDEFGHIJKL', '12345', 'LOJA DA', 'BALCÃO', 'LO-JA'],
  SMS_LOW_BALANCE: ['-1', 'few', '1.5'],
  GPO_TIMEOUT_S: ['0', '-1', '86401', 'soon', 'Infinity'],
  GPO_PUSH_WINDOW_S: ['0', '-1', '86401', 'soon'],
  BACKUP_PASSPHRASE: ['too short'],
  LOG_LEVEL: ['verbose', 'INFO'],
  NODE_NAME: ['x'.repeat(65)],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317'],
  OTEL_EXPORTER_OTLP_HEADERS: ['api-key', 'a=1, b=2', 'a=1,'],
  OTEL_TRACES_SAMPLER_ARG: ['-0.1', '1.1', 'some'],
  SIMULATOR_PORT: ['x', '65536'],
  NOTIFY_URL: ['not a url'],
  SMTP_URL: ['mail.example', 'mail.example:587', 'http://mail.example', 'smtp', 'smtp://', 'smtp:x', 'smtp://u:%@x'],
  MAIL_FROM: ['x', 'no', 'Balcão', 'a b@c d'],
  BILLING_CERTIFIER_URL: ['factura.example', 'ftp://factura.example'],
  BILLING_CERTIFIER_SECRET: ['whsec_', 'whsec_short', 'A'.repeat(40)],
  OPERATOR_CONTACT: ['x'.repeat(201)],
  BILLING_ADDRESS: ['x'.repeat(201)],
  BILLING_IBAN: ['AO07004000000000000000123', 'PT50000201231234567890154', '006', 'AO06'],
  BILLING_ACCOUNT_HOLDER: ['x'.repeat(101)],
  BILLING_DUE_DAYS: ['-1', '1.5', '366', 'soon'],
  BILLING_PAYMENT_NOTE: ['x'.repeat(201)],
  BILLING_TAX_BPS: ['-1', '14.5', '10001', '14 %'],
  ...Object.fromEntries(
    ['PAYERS', 'SMS', 'RAIL_MESSAGES', 'ANSWERS', 'DELIVERIES', 'NOTIFICATIONS', 'SIGN_INS', 'MAILS'].map((what) => [
      `RETENTION_${what}_DAYS`,
      ['0', '-1', '1.5', '36526', 'forever'],
    ]),
  ),
  RETENTION_IDEMPOTENCY_DAYS: ['0', '-1', '1.5', '31'],
};

describe('a setting', () => {
  /** Settings that accept any text. */
  const FREE = ['HOST', 'DATA_DIR', 'BILLING_ISSUER', 'BILLING_TAX_ID', 'OTEL_SERVICE_NAME'];

  test.each(Object.entries(WRONG_VALUES).flatMap(([name, values]) => values.map((value) => [name, value])))(
    '%s=%j is refused by its name',
    (name, value) => {
      expect(namesRefused({ [name as string]: value as string })).toContain(name);
    },
  );

  test('has wrong values in the table of this test, unless it accepts any text', () => {
    const names = listConfig(readConfig({})).map(({ name }) => name);
    expect([...names].sort()).toEqual([...Object.keys(WRONG_VALUES), ...FREE].sort());
  });

  test('is reported together with other wrong settings', () => {
    expect(namesRefused({ PORT: 'x', LOG_LEVEL: 'loud', GPO_TIMEOUT_S: '0' })).toEqual([
      'PORT',
      'GPO_TIMEOUT_S',
      'LOG_LEVEL',
    ]);
  });

  test('has a separate line in the error message, without its value if it is secret', () => {
    const secrets = { SECRETS_KEYS: 'k:not-a-key-but-secret', SANDBOX_PASSWORD: 'tiny-secret', GPO_KEY: 'hush' };
    const error = new ConfigError(faultsOf(secrets));
    for (const [name, value] of Object.entries(secrets)) {
      expect(error.message).toContain(`  ${name}: `);
      expect(error.message).not.toContain(value);
    }
  });
});

describe('the settings of an environment', () => {
  test('are those of a sandbox on loopback if it is empty', () => {
    expect(readConfig({})).toMatchObject({
      BALCAO_ENV: 'sandbox',
      HOST: '127.0.0.1',
      PORT: 8080,
      DATA_DIR: '.data',
      RATE_LIMIT_WRITE: 100,
      RATE_LIMIT_READ: 500,
      RATE_LIMIT_TERMINAL: 1000,
      RATE_LIMIT_CONSOLE: 6000,
      RATE_LIMIT_PUBLIC: 600,
      PUSHES_PER_PHONE: 3,
      STREAMS_PER_PAYMENT: 100,
      CALLBACK_ALLOW_LOOPBACK: false,
      GPO_TIMEOUT_S: 10,
      GPO_PUSH_WINDOW_S: 90,
      MAIL_FROM: 'Balcão <no-reply@localhost>',
      BILLING_ISSUER: 'Balcão',
      BILLING_TAX_BPS: 1_400,
      isSandbox: true,
      isLoopback: true,
      isPortGiven: false,
      trustedProxies: [],
    });
  });

  test('have their defaults for empty variables', () => {
    const empty = Object.fromEntries(listConfig(readConfig({})).map(({ name }) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  test.each([
    ['HOME', 'HOSTNAME', 'PATH', 'MAIL', 'LOGNAME', 'NODE_ENV', 'TERM', 'PGPORT', 'TZ', 'EDITOR', 'HOSTTYPE'],
    // Kubernetes sets variables of these names for services.
    ['DATABASE_PORT', 'DATABASE_SERVICE_HOST', 'REDIS_PORT', 'BALCAO_PORT', 'BALCAO_SERVICE_PORT', 'SMTP_PORT'],
    ['DATABASE_HOST', 'DATABASE_NAME', 'DATABASE_USER', 'SMTP_USER', 'SMTP_HOST', 'REDIS_HOST', 'PUBLIC_DIR'],
    ['APP_KEY', 'APP_URL', 'API_KEY', 'API_URL', 'HTTP_URL', 'CMS_URL', 'DATA', 'OTEL_TRACES_SAMPLER'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_SERVICE_VERSION', 'npm_config_host'],
  ])('ignore variables of other programs, such as %s', (...names) => {
    expect(namesRefused(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });

  test.each([
    ['GPO_ULR', 'GPO_URL'],
    ['RATE_LIMIT_WRTIE', 'RATE_LIMIT_WRITE'],
    ['RATELIMITWRITE', 'RATE_LIMIT_WRITE'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['ATABASE_URL', 'DATABASE_URL'],
    ['SECRET_KEY', 'SECRETS_KEYS'],
    ['SMPT_URL', 'SMTP_URL'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['port', 'PORT'],
    ['PROT', 'PORT'],
    ['HSOT', 'HOST'],
    ['DATADIR', 'DATA_DIR'],
    ['BALCO_ENV', 'BALCAO_ENV'],
    ['DATABASE_POLO', 'DATABASE_POOL'],
  ])('reject %s as a misspelling of %s', (name, meant) => {
    expect(faultsOf({ [name]: 'x' })).toEqual([`${name}: unknown setting; rename it to ${meant}, or unset it`]);
    expect(faultsOf({ [name]: '' })).toEqual([]);
  });

  test('have names that do not look like misspellings of each other', () => {
    const names = listConfig(readConfig({})).map(({ name }) => name);
    const slips = faultsOf(Object.fromEntries(names.map((name) => [name, 'x']))).filter((fault) =>
      /no such/.test(fault),
    );
    expect(slips).toEqual([]);
  });

  test.each([
    ['PORT', 'x', 'must be a whole number from 0 to 65535'],
    ['RATE_LIMIT_READ', '-1', 'must be a whole number from 0 up'],
    ['GPO_TIMEOUT_S', '0', 'must be a number above 0 and up to 86400'],
    ['DRAIN_S', 'soon', 'must be a number from 0 to 600'],
    ['BALCAO_ENV', 'prod', 'must be sandbox or production'],
    ['LOG_LEVEL', 'loud', 'must be silent, error, warn, info, or debug'],
    ['NODE_NAME', 'x'.repeat(65), 'must have 1 to 64 characters'],
    ['GPO_KEY', 'short', 'must have 16 characters or more'],
    ['OPERATOR_CONTACT', 'x'.repeat(201), 'must have at most 200 characters'],
    ['CALLBACK_ALLOW_LOOPBACK', 'maybe', 'must be true or false'],
    ['PUBLIC_URL', 'pay.example', 'must be an address such as https://pay.example'],
    ['REDIS_URL', 'localhost:6379', 'must be an address such as redis://:password@127.0.0.1:6379'],
    [
      'SMTP_URL',
      'mail.example',
      'must be an address such as smtps://user:password@mail.example:465, with the password percent-encoded',
    ],
    ['SMTP_URL', 'smtp://u:50%@mail.example', 'must be an address such as smtps://user:password@mail.example:465'],
    ['TRUSTED_PROXIES', '0.0.0.0/0', 'a subnet is too wide'],
    ['TRUSTED_PROXIES', '10.0.0.1, ::/0', 'a subnet is too wide'],
    ['TRUSTED_PROXIES', 'proxy.example', 'must be IP addresses or subnets'],
  ])('reject %s=%s with one sentence that states the rule', (name, value, sentence) => {
    const faults = faultsOf({ [name]: value }).filter((fault) => fault.startsWith(`${name}:`));
    expect(faults).toEqual([expect.stringContaining(`${name}: ${sentence}`)]);
  });

  test('have error messages of our own, not of a library', () => {
    const wrong = Object.entries(WRONG_VALUES).flatMap(([name, values]) =>
      values.flatMap((value) => faultsOf({ [name]: value })),
    );
    expect(wrong.length).toBeGreaterThan(100);
    expect(wrong.filter((fault) => /invalid|expected|received|too (small|big)|NaN/i.test(fault))).toEqual([]);
  });

  test('lose the slash at the end of URLs and the spaces in lists', () => {
    const config = readConfig({
      ...PRODUCTION,
      PUBLIC_URL: 'https://pay.example/',
      GPO_URL: 'https://rail.example/v//',
    });
    expect(config.PUBLIC_URL).toBe('https://pay.example');
    expect(config.GPO_URL).toBe('https://rail.example/v');
    expect(readConfig({ TRUSTED_PROXIES: ' 10.0.0.1, ::1 ,' }).trustedProxies).toEqual(['10.0.0.1', '::1']);
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8,fd00::/7' }).trustedProxies).toEqual(['10.0.0.0/8', 'fd00::/7']);
    expect(readConfig({ ...PRODUCTION, TRUSTED_PROXIES: 'none' }).trustedProxies).toEqual([]);
  });
});

describe('production', () => {
  test('starts with the required settings', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ isSandbox: false, BALCAO_ENV: 'production' });
  });

  test.each<[string, Record<string, string | undefined>, string[]]>([
    ['without a database of its own', { DATABASE_URL: undefined }, ['DATABASE_URL']],
    ['without keys', { SECRETS_KEYS: undefined }, ['SECRETS_KEYS']],
    ['without either', { DATABASE_URL: undefined, SECRETS_KEYS: undefined }, ['DATABASE_URL', 'SECRETS_KEYS']],
    ['without a public address', { PUBLIC_URL: undefined }, ['PUBLIC_URL']],
    ['with an address that anybody can listen to', { PUBLIC_URL: 'http://pay.example' }, ['PUBLIC_URL']],
    ['calling loopback addresses', { CALLBACK_ALLOW_LOOPBACK: 'true' }, ['CALLBACK_ALLOW_LOOPBACK']],
    ['with sandbox credentials', { SANDBOX_PASSWORD: 'a long enough password' }, ['SANDBOX_PASSWORD']],
    ['without a word about proxies', { TRUSTED_PROXIES: undefined }, ['TRUSTED_PROXIES']],
    ['with a list of nobody', { TRUSTED_PROXIES: ' , ' }, ['TRUSTED_PROXIES']],
    ['without a mail server', { SMTP_URL: undefined }, ['SMTP_URL']],
    ['without a sender of its own', { MAIL_FROM: undefined }, ['MAIL_FROM']],
    ['with a rail that anybody can listen to', { GPO_URL: 'http://rail.example' }, ['GPO_URL']],
    ['without the key of its rail', { GPO_KEY: undefined }, ['GPO_KEY']],
    [
      'with an open rail of references',
      { PPR_URL: 'http://ppr.example', PPR_KEY: 'sixteen letters or more' },
      ['PPR_URL'],
    ],
    ['without the key of its rail of references', { PPR_URL: 'https://ppr.example' }, ['PPR_KEY']],
    [
      'with an open rail of messages',
      { SMS_URL: 'http://sms.example', SMS_KEY: 'sixteen letters or more' },
      ['SMS_URL'],
    ],
    ['without the key of its rail of messages', { SMS_URL: 'https://sms.example' }, ['SMS_KEY']],
  ])('does not start %s', (_what, change, names) => {
    expect(namesRefused({ ...PRODUCTION, ...change })).toEqual(names);
  });
});

describe('the sandbox', () => {
  test.each<[Record<string, string>, string[]]>([
    [{}, []],
    [{ HOST: 'localhost' }, []],
    [{ HOST: 'LOCALHOST' }, []],
    [{ HOST: '127.1.2.3' }, []],
    [{ HOST: 'a.localhost' }, []],
    [{ HOST: 'notlocalhost' }, ['SANDBOX_PASSWORD']],
    [{ HOST: '::1' }, []],
    [{ PUBLIC_URL: 'http://localhost:8080' }, []],
    [{ PUBLIC_URL: 'http://[::1]:8080' }, []],
    [{ PUBLIC_URL: 'http://shop.localhost:8080' }, []],
    [{ HOST: '0.0.0.0' }, ['SANDBOX_PASSWORD']],
    [{ HOST: '::' }, ['SANDBOX_PASSWORD']],
    [{ HOST: '192.168.1.5' }, ['SANDBOX_PASSWORD']],
    [{ PUBLIC_URL: 'https://demo.example' }, ['SANDBOX_PASSWORD']],
    [{ PUBLIC_URL: 'http://127.0.0.1.example' }, ['SANDBOX_PASSWORD']],
    [{ PUBLIC_URL: 'http://localhost.example' }, ['SANDBOX_PASSWORD']],
    [{ HOST: '0.0.0.0', SANDBOX_PASSWORD: 'twelve chars' }, []],
    [{ PUBLIC_URL: 'https://demo.example', SANDBOX_PASSWORD: 'twelve chars' }, []],
    [{ DATABASE_URL: 'postgres://h/d' }, ['SECRETS_KEYS']],
    [{ DATABASE_URL: 'postgresql://h/d', SECRETS_KEYS: KEY }, []],
    [{ DATABASE_URL: 'postgresql://h/d', SECRETS_KEYS: `${KEY},b:lost` }, []],
    [{ GPO_URL: 'http://127.0.0.1:8081/rail' }, ['GPO_KEY']],
    [{ GPO_URL: 'http://127.0.0.1:8081/rail', GPO_KEY: 'sixteen letters or more' }, []],
    [{ PPR_URL: 'http://127.0.0.1:8081/rail' }, ['PPR_KEY']],
    [{ PPR_URL: 'http://127.0.0.1:8081/rail', PPR_KEY: 'sixteen letters or more', PPR_PREFIX: '012345' }, []],
    [{ SMS_URL: 'http://127.0.0.1:8081/rail' }, ['SMS_KEY']],
    [{ SMS_URL: 'http://127.0.0.1:8081/rail', SMS_KEY: 'sixteen letters or more', SMS_SENDER: 'Loja24' }, []],
  ])('refuses %j because of %j', (source, names) => {
    expect(namesRefused(source)).toEqual(names);
  });
});

describe('the list of settings that `config` prints', () => {
  const listed = listConfig(readConfig({ ...PRODUCTION, REDIS_URL: 'redis://:pw-of-redis@cache' }));
  const valueOf = (wanted: string) => listed.find(({ name }) => name === wanted)?.value;

  test('has every setting with its description', () => {
    expect(listed.length).toBeGreaterThan(20);
    for (const { name, about } of listed) expect(about, name).toMatch(/^\S.{9,}$/);
  });

  test('has the current value of each setting, set or by default', () => {
    expect(valueOf('PUBLIC_URL')).toBe('https://pay.example');
    expect(valueOf('PORT')).toBe('8080');
    expect(valueOf('NOTIFY_URL')).toBe('');
  });

  test('contains no secret value', () => {
    const shown = JSON.stringify(listed);
    for (const secret of ['pw-of-database', 'pw-of-redis', 'pw-of-mail', PRODUCTION.GPO_KEY, KEY.slice(2, 20)]) {
      expect(shown).not.toContain(secret);
    }
    expect(valueOf('SECRETS_KEYS')).toBe('(set)');
    const sandbox = listConfig(readConfig({ SANDBOX_PASSWORD: 'a long enough password' }));
    expect(JSON.stringify(sandbox)).not.toContain('a long enough password');
  });
});
