// The result of a charge by sound and vibration, on devices where it is switched on.
/** The result of a charge, in `data-result` of its part of the page. */
type ChargeResult = 'paid' | 'refused';

type Tone = { hz: number; atS: number; lengthS: number };

/** Two rising tones for money, one low tone for a refusal. */
const TONES: Record<ChargeResult, Tone[]> = {
  paid: [
    { hz: 880, atS: 0, lengthS: 0.14 },
    { hz: 1320, atS: 0.16, lengthS: 0.22 },
  ],
  refused: [{ hz: 196, atS: 0, lengthS: 0.5 }],
};

const VIBRATIONS: Record<ChargeResult, number[]> = { paid: [150], refused: [200, 120, 200] };

/** The device keeps the choice. No other data of the console is kept in the browser. */
const KEY = 'balcao-till-signals';

/** A private window may refuse the storage. Then the choice holds for this page. */
const choice = {
  isOn: true,
  read(): boolean {
    try {
      this.isOn = localStorage.getItem(KEY) !== 'off';
    } catch {}
    return this.isOn;
  },
  write(isOn: boolean): void {
    this.isOn = isOn;
    try {
      localStorage.setItem(KEY, isOn ? 'on' : 'off');
    } catch {}
  },
};

/** Shows the switches, and signals each result once. */
export function followSignals(): void {
  for (const label of document.querySelectorAll<HTMLElement>('[data-signals]')) {
    const box = label.querySelector('input')!;
    label.hidden = false;
    box.checked = choice.read();
    box.addEventListener('change', () => choice.write(box.checked));
  }
  const charging = document.querySelector('.charging');
  if (charging) watchResult(charging);
}

/** A redraw replaces the part of the page that has the result. A result that the page opened with is silent. */
function watchResult(charging: Element): void {
  const read = () =>
    charging.querySelector<HTMLElement>('[data-result]')?.dataset['result'] as ChargeResult | undefined;
  let last = read();
  new MutationObserver(() => {
    const result = read();
    if (result === last) return;
    last = result;
    if (!result || !choice.read()) return;
    navigator.vibrate?.(VIBRATIONS[result]);
    play(TONES[result]);
  }).observe(charging, { childList: true });
}

function play(tones: Tone[]): void {
  if (!('AudioContext' in window)) return;
  const context = new AudioContext();
  let last: OscillatorNode | undefined;
  for (const { hz, atS, lengthS } of tones) {
    const oscillator = context.createOscillator();
    const gain = context.createGain();
    const startS = context.currentTime + atS;
    oscillator.frequency.value = hz;
    gain.gain.setValueAtTime(0.2, startS);
    gain.gain.exponentialRampToValueAtTime(0.001, startS + lengthS);
    oscillator.connect(gain);
    gain.connect(context.destination);
    oscillator.start(startS);
    oscillator.stop(startS + lengthS);
    last = oscillator;
  }
  // A browser allows only few open contexts.
  if (last) last.onended = () => void context.close();
}
