// Answers of the demo shop's server, by the shop's answer mode.
import type { ShopMode } from '../../shared/sandbox.ts';

export type ShopAnswer = { status: number; body: unknown; headers?: Record<string, string> };

/** The demo shop's result for a call: a test call, a repeat, or the number of a sale. */
export type CallResult = { isTest: boolean; isRepeat: boolean; sale: string | null };

/** The answer to a call in an answer mode. Null: the shop does not answer. */
export function answerForMode(mode: ShopMode, result: CallResult): ShopAnswer | null {
  const { status, success, obs, ...rest } = ANSWERS[mode];
  if (status === null) return null;
  if (rest.body !== undefined) return { status, ...rest, body: rest.body };
  const found = result.isTest ? 'test received' : result.isRepeat ? 'already processed' : 'processed';
  const body = { Success: success, Obs: obs ?? found, Id: success ? result.sale : null };
  return { status, body, ...rest };
}

/** The answer to a caller with a wrong key. It contains no other information. */
export const WRONG_KEY: ShopAnswer = { status: 401, body: { Success: false, Obs: 'wrong Access-Key', Id: null } };

/** The answer to a call above the limit of open calls. */
export const TOO_MANY_CALLS: ShopAnswer = {
  status: 503,
  body: { Success: false, Obs: 'too many are waiting', Id: null },
};

/** True if the shop processes a call in this mode, even with a wrong answer. The next attempt is then a repeat. */
export function isProcessed(mode: ShopMode): boolean {
  return ANSWERS[mode].isProcessed;
}

type Recipe = {
  status: number | null;
  isProcessed: boolean;
  success: boolean;
  obs?: string;
  body?: string;
  headers?: Record<string, string>;
};

const FAILED = { isProcessed: false, success: false };

const ANSWERS: Record<ShopMode, Recipe> = {
  ok: { status: 200, isProcessed: true, success: true },
  slow: { status: 200, isProcessed: true, success: true },
  error: { ...FAILED, status: 500, obs: 'the shop broke down' },
  refuse: { ...FAILED, status: 200, obs: 'not processed' },
  hang: { ...FAILED, status: null },
  garbage: {
    status: 200,
    isProcessed: true,
    success: false,
    body: '<!doctype html><title>It works!</title><p>Success: true',
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  },
  gone: { ...FAILED, status: 410, obs: 'this address is gone for good' },
  busy: { ...FAILED, status: 429, obs: 'come back later', headers: { 'Retry-After': '60' } },
};
