// The brand form: keeps the colour picker equal to the typed colour, and shows the typed brand in the preview.

/** Time without typing before the preview loads again. */
const PAUSE_MS = 400;

export function followBrand(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-preview]');
  const picker = document.querySelector<HTMLInputElement>('[data-picks]');
  const typed = document.getElementById(picker?.dataset['picks'] ?? '') as HTMLInputElement | null;
  const form = button?.form;
  if (!form || !picker || !typed) return;
  picker.hidden = false;
  let pause: ReturnType<typeof setTimeout> | undefined;
  form.addEventListener('input', ({ target }) => {
    if (target === picker) typed.value = picker.value;
    else if (target === typed && /^#[\da-f]{6}$/i.test(typed.value)) picker.value = typed.value;
    clearTimeout(pause);
    pause = setTimeout(() => showPreview(form, button), PAUSE_MS);
  });
}

/**
 * Sends the form to a new frame, which replaces the old one after it has loaded.
 * The first page of a frame adds no entry to the browser's history.
 */
function showPreview(form: HTMLFormElement, button: HTMLButtonElement): void {
  const frame = document.querySelector<HTMLIFrameElement>(`iframe[name="${button.formTarget}"]`);
  if (!frame || !form.checkValidity()) return;
  const next = frame.cloneNode() as HTMLIFrameElement;
  next.removeAttribute('src');
  next.hidden = true;
  frame.name = '';
  // The loaded window keeps its name, and the form would find it first.
  if (frame.contentWindow) frame.contentWindow.name = '';
  frame.after(next);
  next.onload = () => {
    // An empty frame loads first, and a later preview takes over the name.
    if (next.contentWindow?.location.href === 'about:blank' || !next.name) return;
    for (const each of document.querySelectorAll('iframe.preview')) if (each !== next) each.remove();
    next.hidden = false;
  };
  form.requestSubmit(button);
}
