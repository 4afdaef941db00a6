// Sends the charge form over a bad connection. Without this script the browser sends the form.
// The form's key makes a repeat harmless: the second request finds the payment of the first.

/**
 * The state of the charge on the page.
 * - `typed`: the person has not sent it, or the server has answered.
 * - `unsent`: certainly not sent, because the server did not answer a request before it.
 * - `unknown`: sent without an answer. It may have arrived.
 */
type State = 'typed' | 'unsent' | 'unknown';

type Kept = { state: State; key: string; fields: Record<string, string>; at: number };

/** The entry of the tab's own storage, which ends with the tab. */
const PLACE = 'balcao-till';
const KEPT_MS = 15 * 60_000;

/** The longest wait for the server before a form is sent. */
const CONNECTION_MS = 5_000;
/** The pause between two tries of the connection. */
const ASK_MS = 3_000;
/** The longest wait for the answer to a form. */
const ANSWER_MS = 30_000;

let state: State = 'typed';
/** The key of a form that may have arrived. */
let unknownKey = '';
/** The fields of the page before this one. The shell has no articles, and gives them back to the real till. */
let earlier: Record<string, string> = {};
let isSending = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const passing = new WeakSet<HTMLFormElement>();

const notesOf = (form: ParentNode) => form.querySelector<HTMLElement>('[data-connection]');
const findForm = () => notesOf(document)?.closest('form') ?? null;
const keyOf = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('[name=key]');

/**
 * Follows the charge form, and restores the charge that was typed or sent before this page opened.
 * Other scripts of the form read its fields when they start, so this one starts first.
 */
export function followCharge(): void {
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target as HTMLFormElement;
      if (!notesOf(form) || passing.has(form)) return;
      event.preventDefault();
      if (!isSending) void send(form, event.submitter as HTMLButtonElement | null);
    },
    true,
  );
  addEventListener('pagehide', keep);
  // The browser may show this page again by its Back button.
  addEventListener('pageshow', ({ persisted }) => {
    const form = persisted ? findForm() : null;
    isSending = false;
    form?.removeAttribute('aria-busy');
    if (form) say(form, state);
  });
  restore();
}

/** True if the server answers. @param waitMs the time after which the connection counts as lost */
export async function hasConnection(waitMs = CONNECTION_MS): Promise<boolean> {
  if (!navigator.onLine) return false;
  // No cache answers: the browser's may not (no-store), and the service worker answers only GET.
  const answer = await request('/console/worker.js', { method: 'HEAD', cache: 'no-store' }, waitMs);
  return answer?.ok ?? false;
}

/** Resolves to null if no answer arrives in time. */
async function request(url: string, init: RequestInit, waitMs: number): Promise<Response | null> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), waitMs);
  const answer = await fetch(url, { ...init, signal: ended.signal }).catch(() => null);
  clearTimeout(timer);
  return answer;
}

async function send(form: HTMLFormElement, submitter: HTMLButtonElement | null): Promise<void> {
  isSending = true;
  form.setAttribute('aria-busy', 'true');
  say(form, 'sending');
  if (await trySend(form, submitter)) return;
  form.removeAttribute('aria-busy');
  isSending = false;
}

/** Resolves to true if another page opens. */
async function trySend(form: HTMLFormElement, submitter: HTMLButtonElement | null): Promise<boolean> {
  const token = form.querySelector('[name=token]');
  const isUnknown = state === 'unknown';
  if (!token || !(await hasConnection())) return conclude(form, isUnknown ? 'unknown' : 'unsent');
  const body = new URLSearchParams();
  new FormData(form).forEach((value, name) => body.append(name, String(value)));
  if (submitter?.name) body.append(submitter.name, submitter.value);
  state = 'unknown';
  unknownKey = keyOf(form)?.value ?? '';
  // A phone may end the tab without `pagehide`.
  keep();
  const init = { method: 'POST', body, headers: { 'x-balcao-sent': '1' }, redirect: 'manual' } as const;
  const answer = await request(form.action, init, ANSWER_MS);
  if (!answer || mayHavePayment(answer)) return conclude(form, 'unknown');
  state = 'typed';
  forget();
  const place = answer.status === 201 && answer.headers.get('location');
  if (place) {
    location.assign(place);
    return true;
  }
  // A refusal is a whole page. The browser sends the form itself to show it: the same key has no second effect.
  passing.add(form);
  if (submitter) submitter.click();
  else form.submit();
  return true;
}

/** True if the payment may exist despite this error. Only the gateway's refusals have the header. */
function mayHavePayment({ status, headers }: Response): boolean {
  const refusal = headers.get('x-balcao-refused');
  if (refusal) return refusal === 'idempotency_in_progress';
  return status >= 500 || status === 408 || status === 429;
}

function conclude(form: HTMLFormElement, outcome: State): false {
  state = outcome;
  keep();
  say(form, outcome);
  if (outcome === 'unsent') awaitConnection(form);
  return false;
}

/** Says that the connection is back. The shell opens the real page instead. */
function awaitConnection(form: HTMLFormElement): void {
  clearTimeout(timer);
  if (!keyOf(form)) return;
  timer = setTimeout(async () => {
    const isBack = await hasConnection();
    // A press during the wait has its own note.
    if (state !== 'unsent' || isSending) return;
    if (isBack) say(form, 'back');
    else awaitConnection(form);
  }, ASK_MS);
}

/** Shows one of the notes of the form, with the button below it. `typed` hides them all. */
function say(form: HTMLFormElement, name: State | 'sending' | 'back'): void {
  for (const note of notesOf(form)?.querySelectorAll<HTMLElement>('[data-says]') ?? [])
    note.hidden = note.dataset['says'] !== name;
  form.querySelector('button:not([type=button])')?.scrollIntoView({ block: 'nearest' });
}

/** Fields of one page or session. A later page has its own. */
const OWN = ['act', 'token', 'key', 'etag'];

/** The fields of the charge itself. */
const fieldsOf = (form: HTMLFormElement) =>
  [...form.querySelectorAll<HTMLInputElement>('input, select, textarea')].filter(
    ({ name }) => name && !OWN.includes(name),
  );

const isTick = ({ type }: HTMLInputElement) => type === 'radio' || type === 'checkbox';

/** Keeps the charge for the next page of the till: always on the shell, elsewhere if the server did not answer. */
function keep(): void {
  const form = findForm();
  const isShell = form && !keyOf(form);
  if (!form || !(isShell || state !== 'typed')) return;
  const filled = fieldsOf(form).filter((field) => (isTick(field) ? field.checked : field.value));
  const own = Object.fromEntries(filled.map(({ name, value }) => [name, value]));
  const fields = isShell && own['amount'] === earlier['amount'] ? { ...earlier, ...own } : own;
  const kept: Kept = { state, key: unknownKey, fields, at: Date.now() };
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // The browser stores nothing for this site. The person types again.
  }
}

function forget(): Kept | null {
  try {
    const kept = sessionStorage.getItem(PLACE);
    sessionStorage.removeItem(PLACE);
    return kept ? (JSON.parse(kept) as Kept) : null;
  } catch {
    return null;
  }
}

function restore(): void {
  const form = findForm();
  if (!form) return;
  // The shell opens this address, so that the worker waits for the real page.
  if (location.search === '?again') history.replaceState(null, '', location.pathname);
  const kept = forget();
  // A refused form shows its own values.
  if (!kept || Date.now() - kept.at > KEPT_MS || document.querySelector('[data-focus]')) return;
  earlier = kept.fields;
  for (const field of fieldsOf(form)) {
    // Only a repeat belongs to the shift of the first press.
    if (field.name === 'shift' && kept.state !== 'unknown') continue;
    const value = kept.fields[field.name];
    if (isTick(field)) field.checked = value === undefined ? field.checked : value === field.value;
    else field.value = value ?? field.value;
  }
  state = kept.state;
  unknownKey = kept.key;
  const key = keyOf(form);
  if (key && state === 'unknown') key.value = unknownKey;
  keep();
  if (key && state === 'unsent') say(form, 'back');
  else say(form, state);
}
