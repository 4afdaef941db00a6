// Rate limits by one-minute windows (decisions §2), per merchant, or per address for callers without a token.
import { isIP, isIPv6, type BlockList } from 'node:net';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { counts } from '../metrics/counts.ts';
import { listNetworks } from './client/public-address.ts';
import { tryLater } from './problem.ts';

/**
 * `miss` counts wrong secrets. `mail` counts mails that a caller orders to addresses of their choice. `console` counts sessions of
 * people, apart from their merchant's programs. `hint` counts unproven notifications of a rail account.
 */
export type Bucket = 'write' | 'read' | 'terminal' | 'public' | 'miss' | 'mail' | 'console' | 'hint';

export type Limits = {
  /** Null: no limit. */
  buckets: Record<Bucket, RateLimiterAbstract | null>;
  /** True while Redis counts for all nodes. Null without REDIS_URL. */
  hasRedis(): boolean | null;
  close(): void;
};

const WINDOW_S = 60;
const HOUR_S = 3_600;

/** People mistype a link a few times. More misses are guesses. */
const MOST_MISSES = 30;

/** Mails an hour. A carrier's address is many people, but few of them register in one hour. */
const MOST_MAILS = 60;

/** Past this time Redis counts as away. */
const REDIS_TIMEOUT_MS = 250;

/**
 * Buckets in memory, or in Redis, where all nodes count together. A quota of 0 switches a bucket off. While Redis is away
 * each node counts alone, so that payments continue. The client closes a connection that hangs, so one request waits for it.
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
      miss: bucket('miss', Math.min(MOST_MISSES, config.RATE_LIMIT_PUBLIC)),
      mail: bucket('mail', Math.min(MOST_MAILS, config.RATE_LIMIT_PUBLIC), HOUR_S),
    },
    hasRedis: () => redis && redis.status === 'ready',
    close: () => redis?.disconnect(),
  };
}

/**
 * Counts one request of `who`, or `points` of them, and says so in RateLimit and RateLimit-Policy (IETF httpapi draft).
 * @throws Problem too_many_requests with Retry-After in whole seconds
 */
export async function takeFrom(limits: Limits, name: Bucket, who: string, ctx: Context, points = 1): Promise<void> {
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

/** An IPv4 address within IPv6 is that address. */
const plain = (address = '') => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');

/** The address as limits count it: an IPv6 caller is its /64, since one subscriber holds them all. */
export function clientAddress(ctx: Context): string {
  const trusted: BlockList | undefined = ctx.app.context['trustedProxies'];
  let address = plain(ctx.req.socket.remoteAddress);
  const hops = ctx.get('x-forwarded-for').split(',').map(plain);
  while (trusted && isAmong(trusted, address) && hops.at(-1)) address = hops.pop() as string;
  return isIPv6(address) ? prefixOf(address) : address;
}

function prefixOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('%')[0]!.split('::');
  const groups = head.split(':').filter(Boolean);
  // Zeros behind the first groups, unless the address has all eight.
  const after = tail?.split(':').filter(Boolean) ?? [];
  while (groups.length + after.length < 8) groups.push('0');
  const first = [...groups, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${first.join(':')}::/64`;
}

/** A header's text is in no network unless it is an address. */
function isAmong(networks: BlockList, written: string): boolean {
  const [address = ''] = written.split('%');
  const family = isIP(address);
  return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

const ours = listNetworks(['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1', 'fc00::/7']);

/** True for a direct call from this machine or its private network, without a proxy. Such callers may read metrics. */
export function isPrivateCall(ctx: Context): boolean {
  if (ctx.get('x-forwarded-for') || ctx.get('forwarded')) return false;
  return isAmong(ours, plain(ctx.req.socket.remoteAddress));
}
