// The script of the API reference: copy buttons, the filter and "try it". The pages work without it.
import { copyText } from '../../shared/copy.ts';
import { matchesQuery } from '../../shared/search.ts';
import { offerTrials } from './trial.ts';

for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) offerCopy(button);
const form = document.querySelector<HTMLFormElement>('[data-filter]');
if (form) offerFilter(form);
const client = document.querySelector<HTMLElement>('[data-try-as]')?.dataset['tryAs'];
if (client) offerTrials(client);

function offerCopy(button: HTMLElement) {
  const command = button.closest('.command')?.querySelector('code');
  const said = document.querySelector('[data-said]');
  if (!command || !said) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const isCopied = await copyText(command.textContent ?? '', command);
    // The status line is cleared first. Otherwise a screen reader would not announce a second copy.
    said.textContent = '';
    requestAnimationFrame(() => (said.textContent = isCopied ? 'Copied' : 'Selected: copy it from here'));
    button.dataset['done'] = isCopied ? 'Copied' : 'Selected';
  });
  button.addEventListener('blur', () => delete button.dataset['done']);
}

function offerFilter(form: HTMLFormElement) {
  const input = form.querySelector('input');
  const count = form.querySelector('[data-count]');
  const items = [...document.querySelectorAll<HTMLElement>('[data-operation]')];
  if (!input || !count) return;
  input.addEventListener('input', filter);
  // After the Back button, the browser restores the filter's typed text without an input event.
  window.addEventListener('pageshow', filter);
  filter();

  function filter() {
    // The server has already filtered by its query, which searches the descriptions too.
    const query = input?.value === input?.defaultValue ? '' : (input?.value ?? '');
    for (const item of items) {
      const text = `${item.closest('section')?.querySelector('h2')?.textContent} ${item.textContent}`;
      item.hidden = !matchesQuery(query, text);
    }
    for (const section of document.querySelectorAll<HTMLElement>('.tag')) {
      section.hidden = !section.querySelector('[data-operation]:not([hidden])');
    }
    const shown = items.filter(({ hidden }) => !hidden).length;
    if (count) count.textContent = shown === 1 ? '1 operation' : `${shown} operations`;
  }
}
