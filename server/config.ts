// Reads and validates the environment. Every other module gets its settings from this file.
import { isIP } from 'node:net';
import { z } from 'zod';
import { environment, type Environment } from './environment.ts';

/** Version of the product, its packages and its image. */
export const VERSION = '0.2.0';

/** `info.version` of the interface document. The specification of the interface names it. */
export const API_VERSION = '0.1.0';

/** Settings of a node: the checked environment, and values derived from it. */
export type Config = Environment & {
  DRAIN_S: number;
  isSandbox: boolean;
  /** `isLoopback`: true if only this machine can reach the server, by a loopback name. */
  isLoopback: boolean;
  /** `isPortGiven`: true if PORT is set to a number other than 0. */
  isPortGiven: boolean;
  /** `trustedProxies`: IP addresses and subnets of trusted reverse proxies. */
  trustedProxies: string[];
};

/** An invalid environment. The message has one line per fault, which begins with the variable's name. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Error of a node that cannot start. The message is one sentence that tells the operator what to do. */
export class CannotStart extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CannotStart';
  }
}

export type VariableName = keyof Environment;

/**
 * Validates all environment variables together.
 * @param isUsed returns false for variables to skip. A CLI command skips variables of nodes and uses their defaults.
 * @throws ConfigError with every variable that is invalid, missing, misspelt or conflicts with another
 */
export function readConfig(
  source: Record<string, string | undefined> = process.env,
  isUsed: (name: VariableName) => boolean = () => true,
): Config {
  const set = Object.entries(source).filter(([, value]) => value !== undefined && value !== '');
  const misspelt = set.flatMap(([name]) =>
    findIntended(name)
      .filter(isUsed)
      .map((meant) => explainMisspelt(name, meant)),
  );
  const given = Object.fromEntries(set.filter(([name]) => isUsed(name as VariableName)));
  const parsed = environment.safeParse(given);
  // A value that breaks several rules of its schema may cause the same fault text several times.
  if (!parsed.success) throw new ConfigError([...new Set(parsed.error.issues.map(explainIssue)), ...misspelt]);
  const env = parsed.data;
  const config: Config = {
    ...env,
    DRAIN_S: env.DRAIN_S ?? (env.BALCAO_ENV === 'sandbox' ? 0 : 5),
    isSandbox: env.BALCAO_ENV === 'sandbox',
    isLoopback: isLoopbackName(env.HOST) && (!env.PUBLIC_URL || isLoopbackName(new URL(env.PUBLIC_URL).hostname)),
    isPortGiven: given['PORT'] !== undefined && env.PORT !== 0,
    trustedProxies: listOf(env.TRUSTED_PROXIES).filter((entry) => entry !== NO_PROXY),
  };
  const broken = RULES.filter((rule) => isUsed(nameOf(rule.fault)) && rule.broken(config)).map((rule) => rule.fault);
  if (broken.length + misspelt.length > 0) throw new ConfigError([...broken, ...misspelt]);
  return config;
}

/** Returns the variable of a fault: every fault begins with its variable's name. */
const nameOf = (fault: string) => fault.slice(0, fault.indexOf(':')) as VariableName;

/** Explains a zod issue to operators, since texts such as "expected number, received NaN" address programmers. */
function explainIssue(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.');
  const isOurs = issue.message.startsWith('must ');
  return `${name}: ${isOurs ? issue.message : describeRule(environment.shape[name as VariableName])}`;
}

/** Describes the expected value from its zod schema, so that each bound is defined only once. */
function describeRule(schema: z.ZodType): string {
  const rule = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  if (rule.enum) return `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(rule.enum.map(String))}`;
  if (rule.type === 'integer' || rule.type === 'number') {
    const least = rule.exclusiveMinimum === undefined ? ` from ${rule.minimum}` : ` above ${rule.exclusiveMinimum}`;
    const hasMost = (rule.maximum ?? Number.MAX_SAFE_INTEGER) < Number.MAX_SAFE_INTEGER;
    const most = hasMost ? ` ${rule.exclusiveMinimum === undefined ? 'to' : 'and up to'} ${rule.maximum}` : ' up';
    return `must be a ${rule.type === 'integer' ? 'whole number' : 'number'}${least}${most}`;
  }
  const { minLength: least, maxLength: most } = rule;
  if (least && most) return `must have ${least} to ${most} characters`;
  return least ? `must have ${least} characters or more` : `must have at most ${most} characters`;
}

/** Allowed typing errors in a setting's name: few in short names, which could be variables of other programs. */
const allowedTyposIn = ({ length }: string) => Math.min(Math.max(Math.floor(length / 5), 1), 3);

/** Matches variables such as DATABASE_PORT, which Kubernetes sets for each service of a namespace. */
const OF_SERVICES = /_(PORT|SERVICE_HOST|SERVICE_PORT)$/;

/** Returns settings that a misspelt variable resembles. Empty for known names and for names of other programs. */
function findIntended(name: string): VariableName[] {
  const known = Object.keys(environment.shape) as VariableName[];
  if (Object.hasOwn(environment.shape, name)) return [];
  const upper = name.toUpperCase();
  const close = known.filter((each) => {
    const most = OF_SERVICES.test(upper) ? 1 : allowedTyposIn(each);
    // Short names must share the first letter, so that APP_KEY does not count as a misspelt PPR_KEY.
    return (most > 1 || each[0] === upper[0]) && countTypos(upper, each) <= most;
  });
  return close.sort((one, other) => countTypos(upper, one) - countTypos(upper, other)).slice(0, 1);
}

const explainMisspelt = (name: string, meant: VariableName) =>
  `${name}: unknown setting; rename it to ${meant}, or unset it`;

/** Damerau–Levenshtein distance of two names: wrong, missing, extra and swapped letters. */
function countTypos(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 3) return Infinity;
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      row[j] = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + Number(!isSame));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) row[j] = Math.min(row[j]!, before[j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last[other.length]!;
}

/** Value of TRUSTED_PROXIES for a node without a reverse proxy. */
const NO_PROXY = 'none';

const listOf = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** True for an IP address, or for a subnet of any width. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const widest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (widest === 0 || more.length > 0) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= widest);
}

/** Minimum prefix lengths of trusted subnets. A wider one has public addresses, whose owners could forge client IPs. */
const LEAST_BITS = { 4: 8, 6: 7 } as const;

/** True if a subnet includes addresses of other organizations, such as 0.0.0.0/0. */
function isTooWide(entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  return bits !== undefined && Number(bits) < LEAST_BITS[isIP(address) as 4 | 6];
}

/** Rules between environment variables: required or forbidden values in each mode. */
const RULES: { broken: (config: Config) => boolean; fault: string }[] = [
  { broken: (c) => !c.isSandbox && !c.DATABASE_URL, fault: 'DATABASE_URL: required in production' },
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
    fault: 'MAIL_FROM: must be an address, as in Balcão <no-reply@pay.example>; production refuses localhost',
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
    broken: (c) => c.trustedProxies.every(isNetwork) && c.trustedProxies.some(isTooWide),
    fault:
      'TRUSTED_PROXIES: a subnet is too wide, so that strangers could forge any IP address; ' +
      'use at most a /8 of IPv4 or a /7 of IPv6',
  },
  {
    broken: (c) => !c.isSandbox && listOf(c.TRUSTED_PROXIES).length === 0,
    fault:
      'TRUSTED_PROXIES: production needs the addresses of its reverse proxies, or all callers share one address; ' +
      'set none if callers reach the node directly',
  },
];

/** Returns the URL of a node that listens at this port, for use on the same machine. */
export function localUrlOf({ HOST }: Config, port: number): string {
  const own = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
  return own.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** True for host names that always mean this machine. */
export function isLoopbackName(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host) || host.endsWith('.localhost');
}

/** Lists every variable with description and effective value, secrets masked, for `npm run balcao -- config`. */
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
