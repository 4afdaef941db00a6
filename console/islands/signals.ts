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
  // A browser may allow sound only after a touch or a key press on this page.
  const prepare = () => void (!read() && choice.read() && startSound());
  for (const type of ['pointerup', 'keydown']) addEventListener(type, prepare);
  new MutationObserver(() => {
    const result = read();
    if (result === last) return;
    last = result;
    if (!result || !choice.read()) return;
    navigator.vibrate?.(VIBRATIONS[result]);
    void play(TONES[result]);
  }).observe(charging, { childList: true });
}

/** A browser allows only few open contexts, so a page has one. */
let sound: AudioContext | null = null;

/** Resolves once the browser allows the sound. Without a touch, this may be never. */
async function startSound(): Promise<AudioContext | null> {
  if (!('AudioContext' in window)) return null;
  sound ??= new AudioContext();
  await sound.resume().catch(endSound);
  return sound;
}

function endSound(): void {
  void sound?.close();
  sound = null;
}

/** The longest wait for the browser to allow a tone. A later tone would seem to be of another charge. */
const LATE_MS = 1_000;

async function play(tones: Tone[]): Promise<void> {
  const late = setTimeout(endSound, LATE_MS);
  const context = await startSound();
  clearTimeout(late);
  if (!context) return;
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
  if (last) last.onended = endSound;
}
