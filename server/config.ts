// The only reader of the environment: every variable, its meaning, its default and its check.
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { z } from 'zod';

/** Of the interface and of what we say about ourselves; it grows with both. */
export const VERSION = '0.1.0';

const count = (initial: number, about: string) => z.coerce.number().int().min(0).default(initial).describe(about);
const seconds = (initial: number, about: string) =>
  z.coerce.number().positive().max(86_400).default(initial).describe(about);

const webAddress = (about: string) =>
  z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(about);

const keyList = /^[\w-]{1,32}:[A-Za-z0-9+/_-]{43}=?(,[\w-]{1,32}:[A-Za-z0-9+/_-]{43}=?)*$/;

/** Of two keys with one id the second could open nothing. */
function namesEachOnce(keys: string): boolean {
  const ids = keys.split(',').map((pair) => pair.split(':')[0]);
  return new Set(ids).size === ids.length;
}

const environment = z.object({
  BALCAO_ENV: z
    .enum(['sandbox', 'production'])
    .default('sandbox')
    .describe('sandbox: demo merchant and simulated rails; production refuses them'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port to listen on; 0 takes a free one'),
  PUBLIC_URL: webAddress('Where shoppers and merchants reach this gateway'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder of the embedded database and the sandbox keys'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe('PostgreSQL to use; without it an embedded one runs in DATA_DIR')
    .meta({ secret: true }),
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(12).describe('Database connections of one node'),
  DRAIN_S: z.coerce
    .number()
    .min(0)
    .max(600)
    .optional()
    .describe(
      'How long a node that is told to stop goes on answering, so that balancers notice; in production 5, else 0',
    ),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('Shared rate limits and instant fan-out for several nodes')
    .meta({ secret: true }),
  SECRETS_KEYS: z
    .string()
    .regex(keyList, 'must be id:base64 of 32 bytes, several separated by commas')
    .refine(namesEachOnce, 'must give each key an id of its own')
    .optional()
    .describe('Keys of secrets at rest, id:base64,…; the first encrypts')
    .meta({ secret: true }),
  BACKUP_PASSPHRASE: z
    .string()
    .min(12)
    .optional()
    .describe('What seals a backup and opens it again (balcao backup, restore); without it a person is asked')
    .meta({ secret: true }),
  SANDBOX_PASSWORD: z
    .string()
    .min(12)
    .optional()
    .describe('Guards /sandbox and /demo, and replaces demo-secret, when the sandbox is not on loopback')
    .meta({ secret: true }),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .describe('Addresses of reverse proxies whose X-Forwarded-For counts, separated by commas'),
  RATE_LIMIT_WRITE: count(100, 'State-changing calls a minute and merchant; 0 switches it off'),
  RATE_LIMIT_READ: count(500, 'Reads and syncs a minute and merchant'),
  RATE_LIMIT_TERMINAL: count(1000, 'Terminal calls a minute and merchant'),
  RATE_LIMIT_PUBLIC: count(600, 'Calls without a merchant token (tokens, checkout) a minute and address'),
  PUSHES_PER_PHONE: count(3, 'Checkout pushes to one phone in 10 minutes; off in the sandbox'),
  STREAMS_PER_PAYMENT: count(100, 'Live streams of one checkout on one node; a page without one polls; 0: any number'),
  GPO_URL: webAddress(
    'The GPO rail of merchants without an account of their own; in the sandbox the built-in simulator, in production none without it',
  ),
  GPO_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key that signs both ways between us and the GPO rail')
    .meta({ secret: true }),
  GPO_TIMEOUT_S: seconds(10, 'How long one call to the GPO rail may take'),
  GPO_PUSH_WINDOW_S: seconds(90, 'How long a payer has to approve a push'),
  PPR_URL: webAddress(
    'The PPR rail (payment references); in the sandbox the built-in simulator, in production none without it',
  ),
  PPR_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key that signs both ways between us and the PPR rail')
    .meta({ secret: true }),
  PPR_TIMEOUT_S: seconds(10, 'How long one call to the PPR rail may take'),
  PPR_PREFIX: z
    .string()
    .regex(/^\d{0,6}$/, 'must be 0 to 6 digits')
    .default('')
    .describe('Digits that generated references begin with, so that other systems on the same entity keep to theirs'),
  SMS_URL: webAddress('The SMS rail; in the sandbox the built-in simulator, in production none without it'),
  SMS_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key that signs both ways between us and the SMS rail')
    .meta({ secret: true }),
  SMS_TIMEOUT_S: seconds(10, 'How long one call to the SMS rail may take'),
  SMS_SENDER: z
    .string()
    .regex(/^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/, 'must be 1 to 11 letters and digits, one letter at least')
    .default('BALCAO')
    .describe('Sender of SMS whose merchant has set none'),
  SMS_LOW_BALANCE: count(100, 'A merchant is notified when fewer SMS units than this are left; 0: never'),
  CALLBACK_ALLOW_LOOPBACK: z
    .stringbool()
    .default(false)
    .describe('Sandbox only: merchants may be called at loopback addresses and by plain http'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('Where mail is handed in, smtp(s)://user:password@host:port; the sandbox without it keeps mail itself')
    .meta({ secret: true }),
  MAIL_FROM: z.string().min(3).default('Balcão <no-reply@localhost>').describe('Sender of mail'),
  BILLING_ISSUER: z.string().min(1).default('Balcão').describe('Who issues the invoices: name on them'),
  BILLING_TAX_ID: z.string().default('').describe('Tax number (NIF) of who issues the invoices'),
  BILLING_TAX_BPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(1_400)
    .describe('Tax (IVA) on invoices in hundredths of a percent: 1400 is 14 %'),
  LOG_LEVEL: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe('Least level that is logged'),
  NODE_NAME: z.string().min(1).max(64).default(hostname()).describe('What the log, figures and traces call this node'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress(
    'Collector of traces (OTLP over HTTP, /v1/traces follows it); without it there are none',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(
      /^[\w-]+=([^,\s%]|%[\da-f]{2})*(,[\w-]+=([^,\s%]|%[\da-f]{2})*)*$/i,
      'must be name=value, several separated by commas',
    )
    .optional()
    .describe('Headers for the collector, name=value,…; values percent-encoded')
    .meta({ secret: true }),
  OTEL_SERVICE_NAME: z.string().min(1).default('balcao').describe('What traces call this gateway'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the traces begun here that are kept, 0 to 1; who sends a traceparent decides for theirs'),
  SIMULATOR_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8081)
    .describe('Port of the simulator when it runs alone (npm run simulator)'),
  NOTIFY_URL: z.url().optional().describe('Where a simulator that runs alone notifies (default: this gateway on PORT)'),
});

type Environment = z.infer<typeof environment>;

/** The settings of a running node: the environment, checked, and what follows from it. */
export type Config = Environment & {
  DRAIN_S: number;
  isSandbox: boolean;
  /** Only this machine can reach the server and knows it by a loopback name. */
  isLoopback: boolean;
  /** PORT was named, and names one. */
  isPortGiven: boolean;
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
    trustedProxies: env.TRUSTED_PROXIES.split(',')
      .map((address) => address.trim())
      .filter(Boolean),
  };
  const faults = RULES.filter((rule) => rule.broken(config)).map((rule) => rule.fault);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
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
    broken: (c) => c.trustedProxies.some((address) => !isIP(address)),
    fault: 'TRUSTED_PROXIES: must be IP addresses separated by commas',
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
