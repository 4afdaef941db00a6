// What a counter has beyond forms: keys as large as a thumb for the amount, and a receipt on paper.

/** Writes into the field that a keypad names; where there is no script there is the phone's own keyboard. */
export function serveCounter(): void {
  for (const keys of document.querySelectorAll<HTMLElement>('[data-keypad]')) {
    const field = document.getElementById(keys.dataset['keypad'] ?? '') as HTMLInputElement | null;
    if (!field) continue;
    keys.hidden = false;
    keys.addEventListener('click', ({ target }) => {
      const key = (target as Element).closest('button');
      if (!key) return;
      field.value = key.value ? (field.value + key.value).slice(0, field.maxLength) : field.value.slice(0, -1);
    });
  }
  document.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('[data-print]')) print();
  });
}
