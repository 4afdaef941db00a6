// Idempotency-Key (IETF httpapi draft, decisions §1): the key and fingerprint of a request, and the replay of its answer.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Answer } from './answer.ts';
import { Problem, tryLater } from './problem.ts';

export type Keyed = { key: string; fingerprint: string };

/** A stored key as the effect's statement finds it. */
export type StoredAnswer = {
  fingerprint: string;
  /** Null while the first request runs. */
  status: number | null;
  body: string | null;
  /** Only of answers that wait for a rail: what they are about, and until when the first request may run. */
  paymentId?: string | null;
  inFlightUntil?: Date | null;
};

/**
 * The request's Idempotency-Key with a fingerprint of method, path and body (`Prefer` stays outside).
 * @throws Problem idempotency_key_invalid
 */
export function readKeyed(ctx: Context): Keyed | null {
  const header = ctx.get('idempotency-key');
  if (!header && ctx.req.headers['idempotency-key'] === undefined) return null;
  const key = /^"([\x20-\x21\x23-\x7e]{1,255})"$/.exec(header)?.[1] ?? /^[\x21\x23-\x7e]{1,255}$/.exec(header)?.[0];
  if (!key) throw new Problem('idempotency_key_invalid');
  const body: Buffer = ctx.state['rawBody'] ?? Buffer.alloc(0);
  const fingerprint = createHash('sha256').update(`${ctx.method} ${ctx.path}\n`).update(body).digest('base64url');
  return { key, fingerprint };
}

/**
 * The first request's answer again, byte for byte.
 * @throws Problem idempotency_key_reused for another request, idempotency_in_progress while the first still runs
 */
export function replay(stored: StoredAnswer, keyed: Keyed): Answer {
  if (stored.fingerprint !== keyed.fingerprint) throw new Problem('idempotency_key_reused');
  if (stored.status === null) throw tryLater('idempotency_in_progress', 1);
  return { status: stored.status, body: stored.body, headers: { 'Idempotency-Replayed': 'true' } };
}

/** What the caller prefers (RFC 7240): `wait=N` in seconds (at most 100), `return=representation`. */
export function readPrefer(ctx: Context): { waitS: number; wantsRepresentation: boolean } {
  const header = ctx.get('prefer');
  const wait = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?/i.exec(header)?.[1];
  return {
    waitS: Math.min(Number(wait ?? 0), 100),
    wantsRepresentation: /(?:^|[,;\s])return\s*=\s*"?representation/i.test(header),
  };
}
