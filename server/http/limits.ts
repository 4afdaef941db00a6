// Rate limits in windows of a minute or an hour: per merchant, session, rail account, person or IP address.
import { isIP, isIPv6, type BlockList } from 'node:net';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { counts } from '../metrics/counts.ts';
import { listNetworks } from './client/public-address.ts';
import { tryLater } from './problem.ts';

/**
 * The rate-limit buckets:
 * - `write`, `read`, `terminal`: requests of a merchant's programs.
 * - `public`: requests without a token.
 * - `miss`: unknown client tokens and slugs of links, which indicate guessing.
 * - `mail`: mails that a caller sends to an email address of their choice.
 * - `console`: requests of people, counted separately from their merchant's programs.
 * - `hint`: unproven rail notifications of a rail account.
 */
export type Bucket = 'write' | 'read' | 'terminal' | 'public' | 'miss' | 'mail' | 'console' | 'hint';

export type Limits = {
  /** The rate limiters of each bucket. Null: no limit. */
  buckets: Record<Bucket, RateLimiterAbstract | null>;
  /** True while Redis counts for all nodes. Null without REDIS_URL. */
  hasRedis(): boolean | null;
  close(): void;
};

const WINDOW_S = 60;
const HOUR_S = 3_600;

/** The most misses per minute. People mistype a link a few times, but more misses are guesses. */
const MAX_MISSES = 30;

/** The most mails per hour. Many people share one IP address of a mobile carrier, but few register in one hour. */
const MAX_MAILS = 60;

/** The timeout of Redis. After it, the node counts only its own requests. */
const REDIS_TIMEOUT_MS = 250;

/**
 * Creates the rate-limit buckets in memory or, with REDIS_URL, in Redis, where all nodes count together.
 * A quota of 0 disables a bucket. While Redis is unavailable, each node counts alone, so that payments continue.
 * The Redis client closes a connection after a timeout, so only one request waits for it.
 */
export async function createLimits(config: Config): Promise<Limits> {
  const redis = config.REDIS_URL
    ? new (await import('ioredis')).Redis(config.REDIS_URL, {
        maxRetriesPerRequest: 1,
        enableOfflineQueue: false,
        autoResendUnfulfilledCommands: false,
        commandTimeout: REDIS_TIMEOUT_MS,
        socketTimeout: REDIS_TIMEOUT_MS,
      })
    : null;
  redis?.on('error', () => {});
  const bucket = (name: Bucket, quota: number, windowS = WINDOW_S) => {
    if (quota === 0) return null;
    const options = { keyPrefix: `limit:${name}`, points: quota, duration: windowS };
    const local = new RateLimiterMemory(options);
    const shared = { ...options, storeClient: redis, insuranceLimiter: local, rejectIfRedisNotReady: true };
    return redis ? new RateLimiterRedis(shared) : local;
  };
  return {
    buckets: {
      write: bucket('write', config.RATE_LIMIT_WRITE),
      read: bucket('read', config.RATE_LIMIT_READ),
      terminal: bucket('terminal', config.RATE_LIMIT_TERMINAL),
      public: bucket('public', config.RATE_LIMIT_PUBLIC),
      console: bucket('console', config.RATE_LIMIT_CONSOLE),
      hint: bucket('hint', config.RATE_LIMIT_HINTS),
      miss: bucket('miss', Math.min(MAX_MISSES, config.RATE_LIMIT_PUBLIC)),
      mail: bucket('mail', Math.min(MAX_MAILS, config.RATE_LIMIT_PUBLIC), HOUR_S),
    },
    hasRedis: () => redis && redis.status === 'ready',
    close: () => redis?.disconnect(),
  };
}

/**
 * Counts `points` requests of `who`, and sets the headers RateLimit and RateLimit-Policy (IETF httpapi draft).
 * @throws Problem too_many_requests with Retry-After in whole seconds
 */
export async function consumeLimit(limits: Limits, name: Bucket, who: string, ctx: Context, points = 1): Promise<void> {
  const bucket = limits.buckets[name];
  if (!bucket) return;
  let isRefused = false;
  const result = await bucket.consume(who, points).catch((refusal: unknown) => {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    isRefused = true;
    return refusal;
  });
  const resetS = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  ctx.set({
    'RateLimit-Policy': `"${name}";q=${bucket.points};w=${bucket.duration}`,
    RateLimit: `"${name}";r=${Math.max(0, result.remainingPoints)};t=${resetS}`,
  });
  if (!isRefused) return;
  counts.refusals.inc({ bucket: name });
  throw tryLater('too_many_requests', resetS);
}

/** Converts an IPv4 address in IPv6 form (`::ffff:1.2.3.4`) to IPv4. */
const normalizeAddress = (address = '') => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');

/** Returns the caller's IP address for the rate limits. IPv6 callers count by /64, which one subscriber controls. */
export function clientAddress(ctx: Context): string {
  const trusted: BlockList | undefined = ctx.app.context['trustedProxies'];
  let address = normalizeAddress(ctx.req.socket.remoteAddress);
  const hops = ctx.get('x-forwarded-for').split(',').map(normalizeAddress);
  while (trusted && isAmong(trusted, address) && hops.at(-1)) address = hops.pop() as string;
  return isIPv6(address) ? prefixOf(address) : address;
}

function prefixOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const groups = head.split(':').filter(Boolean);
  // Adds the zeros that `::` stands for, so that the IPv6 address has eight groups.
  const after = tail?.split(':').filter(Boolean) ?? [];
  while (groups.length + after.length < 8) groups.push('0');
  const first = [...groups, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${first.join(':')}::/64`;
}

/** True if the IP address is in the networks. False for a header's text that is no IP address. */
function isAmong(networks: BlockList, written: string): boolean {
  const [address = ''] = written.split('%');
  const family = isIP(address);
  return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

const privateNetworks = listNetworks([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
]);

/** True for a direct call from this machine or its private network, without a proxy. Such callers may read metrics. */
export function isPrivateCall(ctx: Context): boolean {
  if (ctx.get('x-forwarded-for') || ctx.get('forwarded')) return false;
  return isAmong(privateNetworks, normalizeAddress(ctx.req.socket.remoteAddress));
}
