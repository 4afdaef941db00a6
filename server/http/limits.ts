// Rate limits by one-minute windows (interface.md "Limits", decisions §2): per merchant, or per address where there is none.
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { rarely } from '../rare.ts';
import { tryLater } from './problem.ts';

/** `miss`: addresses that name a secret nobody ever gave out. */
export type Bucket = 'write' | 'read' | 'terminal' | 'public' | 'miss';

type Limiter = RateLimiterMemory | RateLimiterRedis;
export type Limits = { buckets: Record<Bucket, { limiter: Limiter; quota: number } | null>; close(): void };

const WINDOW_S = 60;

const loadRedis = rarely<typeof import('ioredis')>('ioredis');

/** A person mistypes a link a few times; who comes with more is guessing. Never more than an address has of all calls. */
const MOST_MISSES = 30;

/** Buckets in memory, or in Redis so that several nodes count together; a quota of 0 switches a bucket off. */
export function createLimits(config: Config): Limits {
  const redis = config.REDIS_URL
    ? new (loadRedis().Redis)(config.REDIS_URL, {
        maxRetriesPerRequest: 1,
        enableOfflineQueue: false,
        commandTimeout: 250,
      })
    : null;
  redis?.on('error', () => {});
  const bucket = (name: Bucket, quota: number) => {
    if (quota === 0) return null;
    const options = { keyPrefix: `limit:${name}`, points: quota, duration: WINDOW_S };
    const local = new RateLimiterMemory(options);
    // Without Redis each node counts alone until it is back: limits loosen, payments go on.
    return {
      limiter: redis ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: local }) : local,
      quota,
    };
  };
  return {
    buckets: {
      write: bucket('write', config.RATE_LIMIT_WRITE),
      read: bucket('read', config.RATE_LIMIT_READ),
      terminal: bucket('terminal', config.RATE_LIMIT_TERMINAL),
      public: bucket('public', config.RATE_LIMIT_PUBLIC),
      miss: bucket('miss', Math.min(MOST_MISSES, config.RATE_LIMIT_PUBLIC)),
    },
    close: () => redis?.disconnect(),
  };
}

/**
 * Counts one request of `who`, and says so in RateLimit and RateLimit-Policy (IETF httpapi draft).
 * @throws Problem too_many_requests with Retry-After in whole seconds
 */
export async function takeFrom(limits: Limits, name: Bucket, who: string, ctx: Context): Promise<void> {
  const bucket = limits.buckets[name];
  if (!bucket) return;
  let isRefused = false;
  const result = await bucket.limiter.consume(who).catch((refusal: unknown) => {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    isRefused = true;
    return refusal;
  });
  const resetS = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  ctx.set({
    'RateLimit-Policy': `"${name}";q=${bucket.quota};w=${WINDOW_S}`,
    RateLimit: `"${name}";r=${Math.max(0, result.remainingPoints)};t=${resetS}`,
  });
  if (isRefused) throw tryLater('too_many_requests', resetS);
}
