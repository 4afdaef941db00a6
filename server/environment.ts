// Environment variables with description, default and validation.
import { hostname } from 'node:os';
import { z } from 'zod';
import { normalizeIban } from '../shared/iban.ts';
import { readDatabaseUrl, type WrongUrl } from './database-url.ts';

const count = (initial: number, about: string) => z.coerce.number().int().min(0).default(initial).describe(about);
const seconds = (initial: number, about: string) =>
  z.coerce.number().positive().max(86_400).default(initial).describe(about);

/** Creates the schema of a retention period in days. */
const days = (initial: number, most: number, about: string) =>
  z.coerce.number().int().min(1).max(most).default(initial).describe(about);

/** Creates the schema of a URL with a host. Its password must be percent-encoded, because a plain `%` is invalid. */
const address = (protocol: RegExp, example: string) =>
  z
    .url({ protocol, error: `must be an address such as ${example}` })
    .refine(isWhole, `must be an address such as ${example}`);

function isWhole(text: string): boolean {
  try {
    const { hostname, username, password } = new URL(text);
    return hostname !== '' && decodeURIComponent(username + password) !== null;
  } catch {
    return false;
  }
}

const webAddress = (about: string, example = 'https://rail.example') =>
  address(/^https?$/, example)
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(about);

const databaseUrl = z.string().superRefine((url, { addIssue }) => {
  try {
    readDatabaseUrl(url);
  } catch (error) {
    addIssue({ code: 'custom', message: (error as WrongUrl).message });
  }
});

/** Pattern of SECRETS_KEYS. The first key encrypts, so it must exist. Later keys may be lost. */
export const KEY_LIST = /^[\w-]{1,32}:[A-Za-z0-9+/_-]{43}=?(,[\w-]{1,32}:([A-Za-z0-9+/_-]{43}=?|lost))*$/;

/** True if all key ids are unique, since a second key with the same id would never be used. */
function hasUniqueIds(keys: string): boolean {
  const ids = keys.split(',').map((pair) => pair.split(':')[0]);
  return new Set(ids).size === ids.length;
}

/** Retention settings: the nightly job erases older data (docs/personal-data.md), but never money and references. */
const retention = {
  RETENTION_PAYERS_DAYS: days(3_653, 36_525, 'Days until a payment loses its payer’s data'),
  RETENTION_SMS_DAYS: days(365, 36_525, 'Days until SMS lose text and recipient'),
  RETENTION_RAIL_MESSAGES_DAYS: days(731, 36_525, 'Days until rail notifications are deleted'),
  RETENTION_ANSWERS_DAYS: days(90, 36_525, 'Days until answers to callbacks and webhooks are deleted'),
  RETENTION_DELIVERIES_DAYS: days(400, 36_525, 'Days until finished callbacks and webhooks are deleted'),
  RETENTION_NOTIFICATIONS_DAYS: days(731, 36_525, 'Days until notifications are deleted'),
  RETENTION_SIGN_INS_DAYS: days(90, 3_653, 'Days until ended sessions and failed sign-ins are deleted'),
  RETENTION_MAILS_DAYS: days(30, 3_653, 'Days until records of sent mail are deleted'),
  RETENTION_IDEMPOTENCY_DAYS: days(7, 30, 'Days that a repeated request gets its first answer'),
};

/** Schema of all environment variables that config.ts reads. */
export const environment = z.object({
  BALCAO_ENV: z
    .enum(['sandbox', 'production'])
    .default('sandbox')
    .describe('sandbox: demo merchant and simulated rails; production refuses them'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port to listen on; 0: any free port'),
  PUBLIC_URL: webAddress('Public address of this gateway for shoppers and merchants', 'https://pay.example'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder of the embedded database and the sandbox keys'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe('PostgreSQL to use; without it an embedded one runs in DATA_DIR')
    .meta({ secret: true }),
  DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(12).describe('Database connections of one node'),
  CLOCK_TOLERANCE_S: count(
    5,
    'Maximum difference between a node’s clock and the database’s; a node beyond it runs no jobs; 0: no limit',
  ),
  DRAIN_S: z.coerce
    .number()
    .min(0)
    .max(600)
    .optional()
    .describe(
      'Time that a stopping node still answers, so that load balancers notice; default 5 in production, else 0',
    ),
  REDIS_URL: address(/^rediss?$/, 'redis://:password@127.0.0.1:6379')
    .optional()
    .describe('Shared rate limits and instant live updates for several nodes')
    .meta({ secret: true }),
  SECRETS_KEYS: z
    .string()
    .regex(KEY_LIST, 'must be id:base64 of 32 bytes, several separated by commas')
    .refine(hasUniqueIds, 'must give each key an id of its own')
    .optional()
    .describe('Keys of secrets at rest, id:base64,…; the first encrypts; id:lost names a key that is lost')
    .meta({ secret: true }),
  BACKUP_PASSPHRASE: z
    .string()
    .min(12)
    .optional()
    .describe('Passphrase that seals and opens backups (balcao backup, restore)')
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
    .describe(
      'Addresses or subnets (10.0.0.0/8) of reverse proxies whose X-Forwarded-For is trusted, separated by commas; ' +
        'none: callers reach the node directly',
    ),
  RATE_LIMIT_WRITE: count(100, 'State-changing calls per minute and merchant; 0: no limit'),
  RATE_LIMIT_READ: count(500, 'Reads and syncs per minute and merchant'),
  RATE_LIMIT_TERMINAL: count(1000, 'Terminal calls per minute and merchant'),
  RATE_LIMIT_CONSOLE: count(
    6000,
    'Console reads per minute and session; a change counts as sixty. Separate from the merchant’s own limits',
  ),
  RATE_LIMIT_PUBLIC: count(600, 'Calls without a merchant token (tokens, checkout) per minute and IP address'),
  RATE_LIMIT_HINTS: count(
    300,
    'Unproven notifications per minute and rail account; polling replaces refused ones, proven ones are not limited',
  ),
  PUSHES_PER_PHONE: count(3, 'Checkout pushes to one phone in 10 minutes; off in the sandbox'),
  STREAMS_PER_PAYMENT: count(100, 'Live streams per checkout and node; a page without one polls; 0: no limit'),
  GPO_URL: webAddress(
    'GPO rail of merchants without their own account. Default: the built-in simulator in the sandbox, ' +
      'no rail in production',
  ),
  GPO_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key that signs requests to and notifications from the GPO rail')
    .meta({ secret: true }),
  GPO_TIMEOUT_S: seconds(10, 'Timeout of one call to the GPO rail'),
  GPO_PUSH_WINDOW_S: seconds(90, 'Time that a payer has to approve a push'),
  PPR_URL: webAddress(
    'PPR rail (payment references). Default: the built-in simulator in the sandbox, no rail in production',
  ),
  PPR_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key that signs requests to and notifications from the PPR rail')
    .meta({ secret: true }),
  PPR_TIMEOUT_S: seconds(10, 'Timeout of one call to the PPR rail'),
  PPR_PREFIX: z
    .string()
    .regex(/^\d{0,6}$/, 'must be 0 to 6 digits')
    .default('')
    .describe('First digits of generated references, to share an entity with other systems'),
  SMS_URL: webAddress('SMS rail. Default: the built-in simulator in the sandbox, no rail in production'),
  SMS_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key that signs requests to and notifications from the SMS rail')
    .meta({ secret: true }),
  SMS_TIMEOUT_S: seconds(10, 'Timeout of one call to the SMS rail'),
  SMS_SENDER: z
    .string()
    .regex(/^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/, 'must be 1 to 11 letters and digits, one letter at least')
    .default('BALCAO')
    .describe('SMS sender of merchants that have set none'),
  SMS_LOW_BALANCE: count(100, 'Number of SMS units below which a merchant is notified; 0: never'),
  CALLBACK_ALLOW_LOOPBACK: z
    .stringbool({ error: 'must be true or false' })
    .default(false)
    .describe('Sandbox only: allow callbacks and webhooks to loopback addresses and by plain http'),
  SMTP_URL: address(/^smtps?$/, 'smtps://user:password@mail.example:465, with the password percent-encoded')
    .optional()
    .describe(
      'Mail server, smtp(s)://user:password@host:port; production requires TLS by smtps or STARTTLS; ' +
        'a sandbox without it stores mail itself',
    )
    .meta({ secret: true }),
  MAIL_FROM: z.string().min(3).default('Balcão <no-reply@localhost>').describe('Sender of mail'),
  OPERATOR_CONTACT: z
    .string()
    .max(200)
    .default('')
    .describe(
      'E-mail address or telephone of the operator, for payers and merchants. Shown in the privacy notice, ' +
        'and in refusals that only the operator can lift',
    ),
  BILLING_ISSUER: z.string().min(1).default('Balcão').describe('Name of the issuer on invoices'),
  BILLING_TAX_ID: z.string().default('').describe('Tax number (NIF) of the issuer on invoices'),
  BILLING_ADDRESS: z.string().max(200).default('').describe('Postal address of the issuer on monthly statements'),
  BILLING_IBAN: z
    .string()
    .transform((text) => normalizeIban(text) ?? '')
    .refine((iban) => iban !== '', 'must be an Angolan IBAN: AO, 23 digits, and valid check digits')
    .optional()
    .describe('Account that receives the payment of monthly statements; without it they name OPERATOR_CONTACT'),
  BILLING_ACCOUNT_HOLDER: z
    .string()
    .max(100)
    .default('')
    .describe('Holder of the account BILLING_IBAN. Default: BILLING_ISSUER'),
  BILLING_DUE_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(365)
    .default(15)
    .describe('Days to pay a monthly statement after its issue; printed with BILLING_IBAN only'),
  BILLING_PAYMENT_NOTE: z
    .string()
    .max(200)
    .default('')
    .describe('Note on monthly statements below the IBAN, such as the address for the proof of payment'),
  BILLING_TAX_BPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(1_400)
    .describe('Tax (IVA) on invoices in hundredths of a percent: 1400 is 14 %'),
  BILLING_CERTIFIER_URL: webAddress(
    'The operator’s certified invoicing program, which receives each invoice and credit note by the signed webhook ' +
      'invoice.to_certify; without it none is sent',
  ),
  BILLING_CERTIFIER_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and 24 random bytes or more in base64')
    .optional()
    .describe('Secret that signs this webhook (Standard Webhooks)')
    .meta({ secret: true }),
  ...retention,
  LOG_LEVEL: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe('Lowest level that is logged'),
  NODE_NAME: z.string().min(1).max(64).default(hostname()).describe('Name of this node in log, metrics and traces'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress(
    'Collector of traces (OTLP over HTTP; /v1/traces is appended); without it no traces are recorded',
    'http://127.0.0.1:4318',
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
  OTEL_SERVICE_NAME: z.string().min(1).default('balcao').describe('Name of this gateway in traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of new traces that are recorded, 0 to 1; a caller’s traceparent decides for its own trace'),
  SIMULATOR_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8081)
    .describe('Port of the simulator when it runs alone (node sandbox/simulator/main.ts)'),
  NOTIFY_URL: address(/^https?$/, 'http://localhost:8080')
    .optional()
    .describe('Gateway that a simulator running alone notifies (default: this gateway on PORT)'),
});

export type Environment = z.infer<typeof environment>;
