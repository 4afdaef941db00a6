// What a script adds where people write: what a message costs while it is typed, and a file that is read into its field.
import { measureText } from '../shared/sms-parts.ts';

/** Both wait for somebody to write. */
export function serveTyping(): void {
  for (const count of document.querySelectorAll<HTMLElement>('[data-counts]')) {
    const field = document.getElementById(count.dataset['counts'] ?? '') as HTMLTextAreaElement | null;
    if (!field) continue;
    const show = (): void => {
      count.hidden = field.value === '';
      count.textContent = sayCost(field.value, count.dataset);
    };
    field.addEventListener('input', show);
    show();
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]'))
    input.addEventListener('change', () => void takeFile(input));
}

/** What is too large is not sent; a text that cannot be read is, for the server to say so. */
async function takeFile(input: HTMLInputElement): Promise<void> {
  const { max, over = '', into } = input.dataset;
  const file = input.files?.[0];
  input.setCustomValidity(file && file.size > Number(max) ? over : '');
  if (!file || !input.reportValidity()) return;
  const field = document.getElementById(into ?? '') as HTMLTextAreaElement | null;
  if (!field) return showPicture(input, file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    if (text.includes('\0')) return;
    field.value = text;
    input.value = '';
  } catch {}
}

function showPicture({ parentElement }: HTMLInputElement, file: File): void {
  const shown = parentElement?.querySelector('img');
  if (!shown) return;
  const reader = new FileReader();
  reader.onload = () => {
    shown.src = String(reader.result);
    shown.hidden = false;
  };
  reader.readAsDataURL(file);
}

/** As it will be sent: letters and their accents joined. */
function sayCost(text: string, { count = '', dear = '' }: DOMStringMap): string {
  const { characters, parts, forcedBy } = measureText(text.normalize('NFC'));
  const said = count.replace('{characters}', String(characters)).replace('{parts}', String(parts));
  return forcedBy.length > 0 ? `${said} ${dear.replace('{letters}', forcedBy.slice(0, 12).join(' '))}` : said;
}
