// Remembers the paper of receipts on this device, and prints a receipt on a sheet as long as its text.

const KEY = 'paper';
const MM_PER_PIXEL = 25.4 / 96;
/** The margins of the sheet above and below the text, and the width and the side margins of each roll. */
const MARGIN_MM = 3;
const ROLLS: Record<string, [width: number, side: number]> = { '58': [58, 5], '80': [80, 4] };

/** Selects the paper that the person chose last on this device, also after a redraw. */
export function recallPaper(): void {
  const stored = readStored();
  for (const choice of document.querySelectorAll<HTMLInputElement>('[data-paper]'))
    // The default changes too, so that the choice does not count as typed text.
    if (stored) choice.checked = choice.defaultChecked = choice.value === stored;
}

/** Stores each choice of a paper. Before a print it sets the length of the sheet, so that a roll is not wasted. */
export function followPaper(): void {
  document.addEventListener('change', ({ target }) => {
    const choice = target as HTMLInputElement;
    if ('paper' in choice.dataset) store(choice.value);
  });
  addEventListener('beforeprint', fitRoll);
}

let sheet: CSSStyleSheet | null = null;

function fitRoll(): void {
  const slip = document.querySelector<HTMLElement>('.slip');
  const paper = document.querySelector<HTMLInputElement>('[data-paper]:checked')?.value ?? '';
  const [width, side] = ROLLS[paper] ?? [];
  if (!slip || !width) return;
  sheet ??= new CSSStyleSheet();
  const heightMm = Math.ceil(slip.offsetHeight * MM_PER_PIXEL) + 2 * MARGIN_MM;
  sheet.replaceSync(`@page slip${paper}{size:${width}mm ${heightMm}mm;margin:${MARGIN_MM}mm ${side}mm}`);
  document.adoptedStyleSheets = [sheet];
}

/** The browser may refuse its storage. The usual paper then stays selected. */
function readStored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function store(paper: string): void {
  try {
    localStorage.setItem(KEY, paper);
  } catch {
    // The choice is valid until the page closes.
  }
}
