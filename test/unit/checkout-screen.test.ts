// What payers are told: every state in every language, without a gap in the words.
import { describe, expect, test } from 'vitest';
import { LANGS } from '../../shared/checkout.ts';
import { beginState } from '../../shared/payer.ts';
import { describeScreen } from '../../shared/screen.ts';
import { FAILURE_CODES } from '../../shared/status.ts';
import { texts } from '../../checkout/text/languages.ts';
import { pageTexts } from '../../checkout/text/pages.ts';
import { everyState, failureOf, PUSH, sessionWith, withTexts } from '../support/checkout.ts';

const nowMs = Date.parse('2026-03-02T09:00:10.000Z');
const describeAt = (part: Parameters<typeof sessionWith>[0], step: 'idle' | 'checking' = 'idle') =>
  describeScreen({ ...beginState(withTexts(sessionWith(part))), step }, nowMs);

describe('the texts', () => {
  test.each(LANGS)('%s has the keys of pt, none of them empty, with the same places to fill', (lang) => {
    expect(Object.keys(texts[lang]).sort()).toEqual(Object.keys(texts.pt).sort());
    expect(Object.keys(pageTexts[lang])).toEqual(Object.keys(pageTexts.pt));
    const placesOf = (text: string) => text.match(/\{\w+\}/g) ?? [];
    for (const [key, text] of Object.entries(texts[lang])) {
      expect(text.trim(), key).not.toBe('');
      expect(placesOf(text), key).toEqual(placesOf(texts.pt[key as keyof typeof texts.pt]));
    }
  });
  test.each(FAILURE_CODES)('%s has a reason and an advice', (code) => {
    expect(texts.pt).toHaveProperty([`failure.${code}`]);
    expect(texts.pt).toHaveProperty([`advice.${code}`]);
  });
});

describe('every state', () => {
  for (const lang of LANGS)
    test.each(everyState(lang))(`${lang}, %s: a title, and no place left unfilled`, (_, session) => {
      const screen = describeScreen(beginState(withTexts(session)), nowMs);
      expect(screen.title).not.toBe('');
      expect(JSON.stringify(screen)).not.toMatch(/\{\w+\}|undefined/);
      expect([...screen.lines, ...screen.steps].every((line) => line !== '')).toBe(true);
    });
});

describe('the screen', () => {
  test('a push that can be approved counts down', () => {
    expect(describeAt(PUSH)).toMatchObject({ name: 'wait', countdown: { text: '1:20' } });
  });
  test('a push whose time is over is asked about, not failed', () => {
    expect(describeAt({ ...PUSH, pushExpiresAt: '2026-03-02T09:00:09.000Z' })).toMatchObject({ name: 'bank' });
  });
  test('a refusal is told by its reason, with advice, and the form', () => {
    const screen = describeAt({ failure: failureOf('insufficient_funds', 'pt'), attemptsLeft: 4 });
    expect(screen).toMatchObject({
      name: 'pay',
      tone: 'danger',
      title: 'Saldo insuficiente',
      code: 'insufficient_funds',
    });
    expect(screen.lines).toEqual(['Carregue a conta ou use outro número.']);
    expect(screen.limits).toBe('Pode pagar até às 10:30. Tentativas que restam: 4.');
  });
  test('without tries left there is no form', () => {
    expect(describeAt({ attemptsLeft: 0, failure: failureOf('timed_out', 'pt') })).toMatchObject({ name: 'exhausted' });
  });
  test('a lost request is being checked only until the server says more', () => {
    expect(describeAt({}, 'checking')).toMatchObject({ name: 'checking' });
    expect(describeAt(PUSH, 'checking')).toMatchObject({ name: 'wait' });
  });
  test('the receipt leaves out what is not known', () => {
    const { rows } = describeAt({ status: 'Paid', paidAtText: '2 de março', transaction: null, phone: null });
    expect(rows).toEqual([
      ['Referência', 'ENC-2041'],
      ['Data (Luanda)', '2 de março'],
    ]);
  });
});
