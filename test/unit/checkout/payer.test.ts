// The actions of a payer on the page. A request arrives, is refused, or is lost.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Gateway, PayAnswer } from '../../../shared/gateway.ts';
import { beginState, followPayment } from '../../../shared/payer.ts';
import { texts } from '../../../checkout/text/languages.ts';
import { PUSH, REFERENCE, sessionWith, withTexts } from '../../support/checkout.ts';
import { testClock } from '../../support/clock.ts';

type Read = Awaited<ReturnType<Gateway['readSession']>>;

/** A payer and a gateway with the responses of the test. */
function openPayer(first = sessionWith()) {
  const clock = testClock();
  const server = { answer: {} as PayAnswer | Promise<PayAnswer>, pays: [] as string[], switches: 0 };
  const link = { read: withTexts(first) as Read | null };
  const held = { value: beginState(withTexts(first)) };
  const gateway: Gateway = {
    base: '',
    addressOf: (leaf) => leaf,
    openStream: () => ({ close: () => {} }),
    async readSession() {
      if (!link.read) throw new TypeError('no network');
      return link.read;
    },
    async pay(phone) {
      server.pays.push(phone);
      return server.answer;
    },
    payByCode: async () => server.answer,
    async payByReference() {
      server.switches++;
      return server.answer;
    },
    after(delayMs, act) {
      const calledOff = new AbortController();
      void clock.wait(delayMs, calledOff.signal).then(() => calledOff.signal.aborted || act());
      return () => calledOff.abort();
    },
  };
  const payer = followPayment(gateway, held, () => {});
  return { payer, clock, server, link, state: () => held.value };
}

const pushed = sessionWith({ ...PUSH, revision: 2 });
const words = texts.pt;

test('pay shows an error for a wrong number and sends nothing', async () => {
  const { payer, server, state } = openPayer();
  await payer.pay('123');
  expect(server.pays).toEqual([]);
  expect(state()).toMatchObject({ error: words['error.phone_invalid'], typed: '123', step: 'idle' });
});

test('pay keeps the error of a wrong number while a QR code is created', async () => {
  const { payer, server, state } = openPayer();
  await payer.pay('123');
  server.answer = { session: sessionWith({ qr: { link: null, accepted: 0, max: 1 }, revision: 2 }) };
  await payer.payByCode(false);
  expect(state()).toMatchObject({ error: words['error.phone_invalid'], session: { revision: 2 } });
});

test('pay shows the push of an accepted request', async () => {
  const { payer, server, state } = openPayer();
  server.answer = { session: pushed };
  await payer.pay('923 456 789');
  expect(state()).toMatchObject({ session: pushed, step: 'idle', error: null, typed: '923 456 789' });
});

test('pay sends nothing during another request', async () => {
  const { payer, server, state } = openPayer();
  let answer: (answer: PayAnswer) => void = () => {};
  server.answer = new Promise((resolve) => (answer = resolve));
  const first = payer.pay('923456789');
  await payer.pay('923456789');
  expect(state().step).toBe('sending');
  answer({ session: pushed });
  await first;
  expect(server.pays).toHaveLength(1);
});

describe('a refused request', () => {
  test.each([
    ['validation_failed', 'error.phone_invalid'],
    ['payment_in_progress', 'error.other_phone_processing'],
    ['attempts_exhausted', 'error.attempts_exhausted'],
    ['too_many_pushes', 'error.too_many_pushes'],
    ['service_unavailable', 'error.try_again'],
  ] as const)('shows %s as %s', async (code, key) => {
    const { payer, server, state } = openPayer();
    server.answer = { code };
    await payer.pay('923456789');
    expect(state()).toMatchObject({ error: words[key], step: 'idle' });
  });
  test('shows the newer session of its response instead of the error', async () => {
    const { payer, server, link, state } = openPayer();
    server.answer = { code: 'payment_not_payable' };
    link.read = withTexts(sessionWith({ status: 'Paid', revision: 3 }));
    await payer.pay('923456789');
    expect(state()).toMatchObject({ error: null, session: { status: 'Paid' } });
  });
});

describe('a lost request', () => {
  test('shows the push if the request arrived', async () => {
    const { payer, link, server, state } = openPayer();
    link.read = withTexts(pushed);
    await payer.pay('923456789');
    expect(state()).toMatchObject({ step: 'idle', error: null, session: { status: 'Processing' } });
    expect(server.pays).toHaveLength(1);
  });
  test('is not repeated if it did not arrive', async () => {
    const { payer, server, state } = openPayer();
    await payer.pay('923456789');
    expect(state()).toMatchObject({ step: 'idle', error: words['error.not_sent'] });
    expect(server.pays).toHaveLength(1);
  });
  test('keeps the page in the step "checking" until the server responds', async () => {
    const { payer, clock, link, server, state } = openPayer();
    link.read = null;
    const paying = payer.pay('923456789');
    await clock.advance(60_000);
    expect(state()).toMatchObject({ step: 'checking', error: null, isOffline: true });
    link.read = withTexts(pushed);
    await clock.advance(10_000);
    await paying;
    expect(state()).toMatchObject({ step: 'idle', isOffline: false, session: { status: 'Processing' } });
    expect(server.pays).toHaveLength(1);
  });
});

describe('payByReference', () => {
  const url = 'https://pay.example/checkout/next?lang=pt';

  test('sends one request, and the new session contains the address of the reference’s page', async () => {
    const { payer, server, state } = openPayer();
    let answer: (answer: PayAnswer) => void = () => {};
    server.answer = new Promise((resolve) => (answer = resolve));
    const first = payer.payByReference();
    await payer.payByReference();
    await payer.pay('923456789');
    expect(state().step).toBe('switching');
    answer({ url });
    await first;
    expect(state()).toMatchObject({ step: 'switching', session: { replacedByUrl: url } });
    expect(server).toMatchObject({ switches: 1, pays: [] });
  });
  test('shows a refusal next to the button "pay by reference"', async () => {
    const { payer, server, state } = openPayer();
    server.answer = { code: 'references_exhausted' };
    await payer.payByReference();
    expect(state()).toMatchObject({ step: 'idle', error: null, trouble: words['error.try_again'] });
    server.answer = { session: pushed };
    await payer.pay('923456789');
    expect(state()).toMatchObject({ trouble: null });
  });
  test('shows the reference after a lost request, or an error if there is no reference', async () => {
    const { payer, server, link, state } = openPayer();
    await payer.payByReference();
    expect(state()).toMatchObject({ step: 'idle', error: null, trouble: words['error.not_sent'] });
    link.read = withTexts(sessionWith({ status: 'Canceled', revision: 2, replacedByUrl: url }));
    await payer.payByReference();
    expect(state()).toMatchObject({ trouble: null, session: { replacedByUrl: url } });
    expect(server.switches).toBe(2);
  });
});

describe('copy', () => {
  const shown = {} as Element;
  const row = { part: 'reference', label: 'Referência', groups: ['017', '756', '991'], copies: '017756991' } as const;
  /** Replaces the browser's clipboard. Pages over plain HTTP have no clipboard. */
  async function copyWith(clipboard: object | undefined) {
    const selected: unknown[] = [];
    vi.stubGlobal('navigator', { clipboard });
    vi.stubGlobal('getSelection', () => ({ selectAllChildren: (node: unknown) => selected.push(node) }));
    const opened = openPayer(sessionWith(REFERENCE));
    await opened.payer.copy({ ...row, groups: [...row.groups] }, shown);
    return { ...opened, selected };
  }
  afterEach(() => vi.unstubAllGlobals());

  test('writes the digits to the clipboard, and shows a confirmation for four seconds', async () => {
    const written: string[] = [];
    const { state, clock, selected } = await copyWith({ writeText: async (text: string) => written.push(text) });
    expect(written).toEqual(['017756991']);
    expect(selected).toEqual([]);
    await clock.advance(3_999);
    expect(state().copied).toBe('reference');
    await clock.advance(1);
    expect(state().copied).toBeNull();
  });
  test('restarts the four seconds with each copy', async () => {
    const { payer, state, clock } = await copyWith({ writeText: async () => {} });
    await clock.advance(3_000);
    await payer.copy({ ...row, part: 'entity', groups: [], copies: '00999' }, shown);
    await clock.advance(3_000);
    expect(state().copied).toBe('entity');
  });
  test.each([
    ['there is no clipboard', undefined],
    ['the page may not use it', { writeText: () => Promise.reject(new Error('NotAllowedError')) }],
  ])('selects the text if %s', async (_, clipboard) => {
    const { state, selected } = await copyWith(clipboard);
    expect(selected).toEqual([shown]);
    expect(state().copied).toBe('selected');
  });
});

test('stop ends all updates of the page', async () => {
  const { payer, server, state } = openPayer();
  server.answer = { session: pushed };
  const paying = payer.pay('923456789');
  payer.stop();
  await paying;
  expect(state().session.status).toBe('Pending');
});
