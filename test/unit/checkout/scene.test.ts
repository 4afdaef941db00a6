// The data of a payment page for its components. The screen follows the state of the payment and the time.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CheckoutSession } from '../../../shared/checkout.ts';
import { beginState } from '../../../shared/payer.ts';
import { openScene, runClock, type SceneOptions } from '../../../shared/ui/scene.ts';
import { PUSH, REFERENCE, sessionWith, withTexts } from '../../support/checkout.ts';

const PLACE: SceneOptions = {
  headings: ['h1', 'h2'],
  isLive: { value: true },
  formOf: () => undefined,
  isFocusing: false,
  imageOf: (name) => name,
  target: undefined,
  partOf: () => undefined,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(part: Partial<CheckoutSession> = {}) {
  const session = sessionWith(part);
  const scene = openScene(beginState(withTexts(session)), PLACE);
  const change = (changed: Partial<CheckoutSession>) =>
    (scene.held.value = { ...scene.held.value, session: { ...session, ...changed } });
  const startMs = Date.parse(session.serverTime);
  let passedMs = 0;
  const pass = (ms: number) => {
    passedMs += ms;
    vi.advanceTimersByTime(ms);
  };
  const stop = runClock(scene, { nowMs: () => startMs + passedMs, observe: () => {} });
  return { ...scene, change, pass, stop };
}

test('openScene updates the screen and its texts with the state', () => {
  const { screen, say, change } = open();
  expect(screen.value.name).toBe('pay');
  change(PUSH);
  expect(screen.value.name).toBe('wait');
  expect(say('wait.open')).toContain(PUSH.phone);
});

test('openScene shares no state between two scenes', () => {
  const [one, other] = [open(), open()];
  one.change({ status: 'Paid', isFinal: true });
  expect(one.screen.value.name).toBe('paid');
  expect(other.screen.value.name).toBe('pay');
});

test('openScene keeps the screen of a replaced payment', () => {
  const { held, state, screen, change, pass } = open();
  const shown = state.value;
  change({ status: 'Canceled', replacedByUrl: 'https://pay.example/checkout/next' });
  pass(1_000);
  expect(held.value.session.status).toBe('Canceled');
  expect(state.value).toBe(shown);
  expect(screen.value.name).toBe('pay');
});

test('runClock counts down a push until its screen waits for the bank, and does not change a reference', () => {
  const waiting = open(PUSH);
  const remaining = () => waiting.screen.value.countdown!.remainingMs;
  const first = remaining();
  waiting.pass(2_000);
  expect(remaining()).toBe(first - 2_000);
  waiting.stop();
  waiting.pass(2_000);
  expect(remaining()).toBe(first - 2_000);

  const late = open(PUSH);
  late.pass(91_000);
  expect(late.screen.value.name).toBe('bank');
  late.stop();

  const reference = open(REFERENCE);
  const { value } = reference.screen;
  reference.pass(2_000);
  expect(reference.screen.value).toBe(value);
});
