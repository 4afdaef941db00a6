// What the demo shop's server answers, by the mode it was put into.
import type { ShopMode } from '../../shared/sandbox.ts';

export type ShopAnswer = { status: number; body: unknown; headers?: Record<string, string> };

/** What the shop found out about a call before it answers. */
export type Finding = { isTest: boolean; isRepeat: boolean; sale: string | null };

/** Null: no answer, ever. */
export function answerIn(mode: ShopMode, finding: Finding): ShopAnswer | null {
  const { status, success, obs, ...rest } = ANSWERS[mode];
  if (status === null) return null;
  if (rest.body !== undefined) return { status, ...rest, body: rest.body };
  const found = finding.isTest ? 'test received' : finding.isRepeat ? 'already processed' : 'processed';
  const body = { Success: success, Obs: obs ?? found, Id: success ? finding.sale : null };
  return { status, body, ...rest };
}

/** Whoever does not know the shop's key learns nothing else. */
export const WRONG_KEY: ShopAnswer = { status: 401, body: { Success: false, Obs: 'wrong Access-Key', Id: null } };

/** More callers than the shop keeps waiting at once. */
export const FULL: ShopAnswer = { status: 503, body: { Success: false, Obs: 'too many are waiting', Id: null } };

/** The shop has dealt with the matter, however badly it answers: the next attempt is a repeat. */
export function isDealtWith(mode: ShopMode): boolean {
  return ANSWERS[mode].isDealtWith;
}

type Recipe = {
  status: number | null;
  isDealtWith: boolean;
  success: boolean;
  obs?: string;
  body?: string;
  headers?: Record<string, string>;
};

const FAILED = { isDealtWith: false, success: false };

const ANSWERS: Record<ShopMode, Recipe> = {
  ok: { status: 200, isDealtWith: true, success: true },
  slow: { status: 200, isDealtWith: true, success: true },
  error: { ...FAILED, status: 500, obs: 'the shop broke down' },
  refuse: { ...FAILED, status: 200, obs: 'not processed' },
  hang: { ...FAILED, status: null },
  garbage: {
    status: 200,
    isDealtWith: true,
    success: false,
    body: '<!doctype html><title>It works!</title><p>Success: true',
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  },
  gone: { ...FAILED, status: 410, obs: 'this address is gone for good' },
  busy: { ...FAILED, status: 429, obs: 'come back later', headers: { 'Retry-After': '60' } },
};
