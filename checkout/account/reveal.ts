/** Lets the buttons beside password fields show and hide the typed password. */
export function showRevealButtons(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('[data-reveal]')) {
    const field = document.getElementById(button.getAttribute('aria-controls') ?? '') as HTMLInputElement | null;
    const show = (isShown: boolean) => {
      if (!field) return;
      field.type = isShown ? 'text' : 'password';
      button.textContent = (isShown ? button.dataset['hide'] : button.dataset['reveal']) ?? '';
    };
    button.hidden = !field;
    button.addEventListener('click', () => show(field?.type === 'password'));
    // Browsers store the values of text fields, so a sent form has a password field again.
    field?.form?.addEventListener('submit', () => show(false));
  }
}
