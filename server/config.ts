// The only reader of the environment: its variables checked together, and the settings that follow.
import { isIP } from 'node:net';
import { environment, type Environment } from './environment.ts';

/** Of the interface and of what we say about ourselves; it grows with both. */
export const VERSION = '0.1.0';

/** The settings of a running node: the environment, checked, and what follows from it. */
export type Config = Environment & {
  DRAIN_S: number;
  isSandbox: boolean;
  /** Only this machine can reach the server and knows it by a loopback name. */
  isLoopback: boolean;
  /** PORT was named, and names one. */
  isPortGiven: boolean;
  /** Addresses and subnets. */
  trustedProxies: string[];
};

/** A wrong environment: one line a fault, each naming its variable. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** A node cannot work with what it finds: told in one sentence, which says what to do. */
export class CannotStart extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotStart';
  }
}

/**
 * Checks the environment as a whole (decisions §12).
 * @throws ConfigError naming every variable that is wrong, missing or not allowed together with another
 */
export function readConfig(source: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  const env = parsed.data;
  const config: Config = {
    ...env,
    DRAIN_S: env.DRAIN_S ?? (env.BALCAO_ENV === 'sandbox' ? 0 : 5),
    isSandbox: env.BALCAO_ENV === 'sandbox',
    isLoopback: isLoopbackName(env.HOST) && (!env.PUBLIC_URL || isLoopbackName(new URL(env.PUBLIC_URL).hostname)),
    isPortGiven: given['PORT'] !== undefined && env.PORT !== 0,
    trustedProxies: listOf(env.TRUSTED_PROXIES).filter((entry) => entry !== NO_PROXY),
  };
  const faults = RULES.filter((rule) => rule.broken(config)).map((rule) => rule.fault);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Said instead of addresses where no proxy stands before the node. */
const NO_PROXY = 'none';

const listOf = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** An address, or a subnet; not all of the world, where anybody could say who they are. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const widest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (widest === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= widest);
}

/** Rules between variables: what each mode of running demands or refuses. */
const RULES: { broken: (config: Config) => boolean; fault: string }[] = [
  { broken: (c) => !c.isSandbox && !c.DATABASE_URL, fault: 'DATABASE_URL: production needs a PostgreSQL of its own' },
  {
    broken: (c) => !c.isSandbox && !c.PUBLIC_URL?.startsWith('https://'),
    fault: 'PUBLIC_URL: production needs an https:// address',
  },
  {
    broken: (c) => !c.isSandbox && !!c.SANDBOX_PASSWORD,
    fault: 'SANDBOX_PASSWORD: sandbox credentials are refused in production',
  },
  {
    broken: (c) => !c.isSandbox && !!c.GPO_URL && !c.GPO_URL.startsWith('https://'),
    fault: 'GPO_URL: production needs the https:// address of a rail',
  },
  {
    broken: (c) => !!c.DATABASE_URL && !c.SECRETS_KEYS,
    fault: 'SECRETS_KEYS: required with DATABASE_URL and in production',
  },
  { broken: (c) => !c.isSandbox && !c.DATABASE_URL && !c.SECRETS_KEYS, fault: 'SECRETS_KEYS: required in production' },
  {
    broken: (c) => !!c.DATABASE_DIRECT_URL && !c.DATABASE_URL,
    fault: 'DATABASE_DIRECT_URL: goes with DATABASE_URL, whose pooler it passes by',
  },
  {
    broken: (c) => !!c.DATABASE_READ_URL && !c.DATABASE_URL,
    fault: 'DATABASE_READ_URL: goes with DATABASE_URL, whose replica it is',
  },
  { broken: (c) => !!c.GPO_URL && !c.GPO_KEY, fault: 'GPO_KEY: required with GPO_URL' },
  {
    broken: (c) => !c.isSandbox && !!c.PPR_URL && !c.PPR_URL.startsWith('https://'),
    fault: 'PPR_URL: production needs the https:// address of a rail',
  },
  { broken: (c) => !!c.PPR_URL && !c.PPR_KEY, fault: 'PPR_KEY: required with PPR_URL' },
  {
    broken: (c) => !c.isSandbox && !!c.SMS_URL && !c.SMS_URL.startsWith('https://'),
    fault: 'SMS_URL: production needs the https:// address of a rail',
  },
  { broken: (c) => !!c.SMS_URL && !c.SMS_KEY, fault: 'SMS_KEY: required with SMS_URL' },
  {
    broken: (c) => !c.isSandbox && !!c.BILLING_CERTIFIER_URL && !c.BILLING_CERTIFIER_URL.startsWith('https://'),
    fault: 'BILLING_CERTIFIER_URL: production needs the https:// address of a program',
  },
  {
    broken: (c) => !!c.BILLING_CERTIFIER_URL && !c.BILLING_CERTIFIER_SECRET,
    fault: 'BILLING_CERTIFIER_SECRET: required with BILLING_CERTIFIER_URL',
  },
  { broken: (c) => !c.isSandbox && !c.SMTP_URL, fault: 'SMTP_URL: production needs a mail server' },
  {
    broken: (c) =>
      !/^[^@\s]+@[^@\s]+$|<[^@\s]+@[^@\s]+>$/.test(c.MAIL_FROM) || (!c.isSandbox && /@localhost>?$/.test(c.MAIL_FROM)),
    fault: 'MAIL_FROM: must be an address, as in Balcão <no-reply@pay.example>; production needs one of its own',
  },
  {
    broken: (c) => c.isSandbox && !c.isLoopback && !c.SANDBOX_PASSWORD,
    fault: 'SANDBOX_PASSWORD: required (12 characters or more) when HOST or PUBLIC_URL is not loopback',
  },
  {
    broken: (c) => !!c.PUBLIC_URL && new URL(c.PUBLIC_URL).href !== `${new URL(c.PUBLIC_URL).origin}/`,
    fault: 'PUBLIC_URL: must be an origin, without path or query',
  },
  {
    broken: (c) => !c.isSandbox && c.CALLBACK_ALLOW_LOOPBACK,
    fault: 'CALLBACK_ALLOW_LOOPBACK: production never calls loopback addresses',
  },
  {
    broken: (c) =>
      !c.trustedProxies.every(isNetwork) ||
      (c.trustedProxies.length > 0 && listOf(c.TRUSTED_PROXIES).includes(NO_PROXY)),
    fault: 'TRUSTED_PROXIES: must be IP addresses or subnets separated by commas, or none',
  },
  {
    broken: (c) => !c.isSandbox && listOf(c.TRUSTED_PROXIES).length === 0,
    fault:
      'TRUSTED_PROXIES: production needs the addresses of the proxies before it, or all callers would be one; none where they reach the node itself',
  },
];

/** A node with these settings that listens at this port, as this machine reaches it. */
export function localUrlOf({ HOST }: Config, port: number): string {
  const own = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
  return own.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** Names that never leave this machine. */
export function isLoopbackName(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host) || host.endsWith('.localhost');
}

/** Every variable with its meaning and value in force, secrets masked: what `npm run balcao -- config` prints. */
export function listConfig(config: Config): { name: string; value: string; about: string }[] {
  return Object.entries(environment.shape).map(([name, schema]) => {
    const meta = schema.meta() as { secret?: boolean; description?: string } | undefined;
    const value = config[name as keyof Environment];
    return {
      name,
      value: value === undefined ? '' : meta?.secret ? '(set)' : String(value),
      about: meta?.description ?? '',
    };
  });
}
