// File fields: copies a chosen text file into its text field, previews a picture, and reports a too large file.

/** Listens on every file field of the page for chosen files. */
export function serveFiles(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[type=file]'))
    input.addEventListener('change', () => void takeFile(input));
}

/**
 * The browser does not send a chosen file that is too large.
 * The browser sends an unreadable text file, and the server reports the error.
 */
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
