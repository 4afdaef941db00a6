// The cashier's keypad: adds keys to the typed amount, and says what the amount reads as.
import { readingsOf, readMajor, showMoney, toMinor } from '../../shared/money.ts';
import type { IslandProps } from './browser.ts';
import { KEYS, pressKey } from './keys.ts';

export type AmountTexts = {
  keys: string;
  delete: string;
  /** The message for text with two readings, `{a}` and `{b}`. */
  readings: string;
  /** The messages of a wrong amount, by fault code. */
  wrong: { invalid_format: string; amount_precision: string; amount_out_of_range: string };
};

/** The keys are hidden without JavaScript, where the phone's own keyboard is enough. */
export function Amount({ field, texts, browser }: { field: string; texts: AmountTexts } & IslandProps) {
  const typed = browser?.typed.value ?? '';
  const read = readTyped(typed);
  const press = (key: string) => () => browser && (browser.typed.value = pressKey(typed, key));
  const isFault = 'fault' in read;
  // Screen readers get each amount. A visible text appears only if the field does not show the amount itself.
  const isShown = isFault || !/^[\d\s]*(,\d{0,2})?$/.test(typed);
  return (
    <>
      <output
        for={field}
        role="status"
        class={`reading ${isFault ? 'error' : 'small quiet'} ${isShown ? '' : 'unseen'}`}
        hidden={!browser}
        translate={false}
      >
        {isFault ? (sayReadings(typed, texts) ?? texts.wrong[read.fault]) : showMoney(read.minor, 'AOA')}
      </output>
      <div class="keys" role="group" aria-label={texts.keys} hidden={!browser}>
        {KEYS.map((key) => (
          // A pressed key does not take the focus, so that Enter charges afterwards.
          <button key={key} type="button" class="plain" onMouseDown={keepFocus} onClick={press(key)}>
            {key}
          </button>
        ))}
        <button type="button" class="plain" aria-label={texts.delete} onMouseDown={keepFocus} onClick={press('')}>
          ⌫
        </button>
      </div>
    </>
  );
}

const keepFocus = (event: Event) => event.preventDefault();

function sayReadings(typed: string, { readings }: AmountTexts): string | null {
  const both = readingsOf(typed);
  return both && readings.replace('{a}', both[0] ?? '').replace('{b}', both[1] ?? '');
}

/** Reads an unfinished amount such as `1500,` as 1500. */
function readTyped(typed: string): { minor: number } | { fault: keyof AmountTexts['wrong'] } {
  const major = readMajor(typed.trim().replace(/[.,]$/, '') || '0');
  return major === null ? { fault: 'invalid_format' } : toMinor(String(major), 'AOA');
}
