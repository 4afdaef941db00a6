// The only reader of the environment: its variables checked together, and the settings that follow.
import { isIP } from 'node:net';
import { z } from 'zod';
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

export type VariableName = keyof Environment;

/**
 * Checks the environment as a whole (decisions §12).
 * @param isUsed a command leaves out the variables of nodes, and reads their defaults
 * @throws ConfigError naming every variable that is wrong, missing, misspelt, or not allowed together with another
 */
export function readConfig(
  source: Record<string, string | undefined> = process.env,
  isUsed: (name: VariableName) => boolean = () => true,
): Config {
  const set = Object.entries(source).filter(([, value]) => value !== undefined && value !== '');
  const misspelt = set.flatMap(([name]) =>
    findMeant(name)
      .filter(isUsed)
      .map((meant) => explainMisspelt(name, meant)),
  );
  const given = Object.fromEntries(set.filter(([name]) => isUsed(name as VariableName)));
  const parsed = environment.safeParse(given);
  // One value may break several rules of its schema in the same words.
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

/** A fault begins with its variable. */
const nameOf = (fault: string) => fault.slice(0, fault.indexOf(':')) as VariableName;

/** An issue of zod as a sentence. Its own words, such as "expected number, received NaN", are for programmers. */
function explainIssue(issue: z.core.$ZodIssue): string {
  const name = issue.path.join('.');
  const isOurs = issue.message.startsWith('must ');
  return `${name}: ${isOurs ? issue.message : describeWanted(environment.shape[name as VariableName])}`;
}

/** From the schema, so that no bound is written twice. */
function describeWanted(schema: z.ZodType): string {
  const wanted = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  if (wanted.enum)
    return `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(wanted.enum.map(String))}`;
  if (wanted.type === 'integer' || wanted.type === 'number') {
    const least =
      wanted.exclusiveMinimum === undefined ? ` from ${wanted.minimum}` : ` above ${wanted.exclusiveMinimum}`;
    const hasMost = (wanted.maximum ?? Number.MAX_SAFE_INTEGER) < Number.MAX_SAFE_INTEGER;
    const most = hasMost ? ` ${wanted.exclusiveMinimum === undefined ? 'to' : 'and up to'} ${wanted.maximum}` : ' up';
    return `must be a ${wanted.type === 'integer' ? 'whole number' : 'number'}${least}${most}`;
  }
  const { minLength: least, maxLength: most } = wanted;
  if (least && most) return `must have ${least} to ${most} characters`;
  return least ? `must have ${least} characters or more` : `must have at most ${most} characters`;
}

/** Longer names have room for several slips; in shorter ones these would lead to variables of other programs. */
const slipsIn = ({ length }: string) => Math.min(Math.max(Math.floor(length / 5), 1), 3);

/** Set by Kubernetes for each service of a namespace, such as DATABASE_PORT. */
const OF_SERVICES = /_(PORT|SERVICE_HOST|SERVICE_PORT)$/;

/** The setting that a name was meant to be; empty for a known name, and for names of other programs. */
function findMeant(name: string): VariableName[] {
  const known = Object.keys(environment.shape) as VariableName[];
  if (Object.hasOwn(environment.shape, name)) return [];
  const upper = name.toUpperCase();
  const close = known.filter((each) => {
    const most = OF_SERVICES.test(upper) ? 1 : slipsIn(each);
    // APP_KEY is no PPR_KEY.
    return (most > 1 || each[0] === upper[0]) && countSlips(upper, each) <= most;
  });
  return close.sort((one, other) => countSlips(upper, one) - countSlips(upper, other)).slice(0, 1);
}

const explainMisspelt = (name: string, meant: VariableName) =>
  `${name}: there is no such setting; call it ${meant}, or unset it`;

/** Letters that are wrong, missing, too many, or swapped with the next (Damerau and Levenshtein). */
function countSlips(one: string, other: string): number {
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

/** Said instead of addresses where no proxy stands before the node. */
const NO_PROXY = 'none';

const listOf = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** An address, or a subnet of any width. */
function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const widest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (widest === 0 || more.length > 0) return false;
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= widest);
}

/** Narrower than any network of an operator. A wider one lets strangers say who they are. */
const LEAST_BITS = { 4: 8, 6: 7 } as const;

/** Its addresses belong to strangers too, such as those of 0.0.0.0/0. */
function isTooWide(entry: string): boolean {
  const [address = '', bits] = entry.split('/');
  return bits !== undefined && Number(bits) < LEAST_BITS[isIP(address) as 4 | 6];
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
    broken: (c) => c.trustedProxies.every(isNetwork) && c.trustedProxies.some(isTooWide),
    fault:
      'TRUSTED_PROXIES: a subnet is too wide, so that strangers could name any caller; name the proxies, at most a /8 of IPv4 or a /7 of IPv6',
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
