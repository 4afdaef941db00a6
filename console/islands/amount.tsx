// The cashier's amount: shows the typed amount as money, and offers large keys for touch.
import { readingsOf, readMajor, showMoney, toMinor } from '../../shared/money.ts';
import type { IslandProps } from './browser.ts';

export type AmountTexts = {
  keys: string;
  delete: string;
  /** The message for text with two readings, `{a}` and `{b}`. */
  readings: string;
  /** The messages of a wrong amount, by fault code. */
  wrong: { invalid_format: string; amount_precision: string; amount_out_of_range: string };
};

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', ',', '0'];

/** The amount's large keys are hidden without JavaScript, where the phone's own keyboard is enough. */
export function Amount({ field, texts, browser }: { field: string; texts: AmountTexts } & IslandProps) {
  const typed = browser?.typed.value ?? '';
  const read = readTyped(typed);
  const press = (key: string) => () => browser && (browser.typed.value = pressKey(typed, key));
  return (
    <>
      <output
        for={field}
        role="status"
        class={`shown ${'minor' in read ? 'amount huge' : 'error'}`}
        hidden={!browser}
        translate={false}
      >
        {'minor' in read ? showMoney(read.minor, 'AOA') : (sayReadings(typed, texts) ?? texts.wrong[read.fault])}
      </output>
      <div class="keys" role="group" aria-label={texts.keys} hidden={!browser}>
        {KEYS.map((key) => (
          <button key={key} type="button" class="plain" onClick={press(key)}>
            {key}
          </button>
        ))}
        <button type="button" class="plain" aria-label={texts.delete} onClick={press('')}>
          ⌫
        </button>
      </div>
    </>
  );
}

function sayReadings(typed: string, { readings }: AmountTexts): string | null {
  const both = readingsOf(typed);
  return both && readings.replace('{a}', both[0] ?? '').replace('{b}', both[1] ?? '');
}

/** Reads an unfinished amount such as `1500,` as 1500. */
function readTyped(typed: string): { minor: number } | { fault: keyof AmountTexts['wrong'] } {
  const major = readMajor(typed.trim().replace(/[.,]$/, '') || '0');
  return major === null ? { fault: 'invalid_format' } : toMinor(String(major), 'AOA');
}

/** Appends a key to the typed amount, unless the result is not an amount. @param key empty: deletes a character */
function pressKey(typed: string, key: string): string {
  const plain = typed.replace(/\s/g, '');
  if (!key) return plain.slice(0, -1);
  const next = (plain === '0' && key !== ',' ? '' : plain || (key === ',' ? '0' : '')) + key;
  return /^\d{1,8}([.,]\d{0,2})?$/.test(next) ? next : typed;
}
