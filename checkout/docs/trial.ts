// "Try it": sends the completed request with a token of the sandbox's demo client, and shows the response.

/** Enables the "try it" forms of the page. @param client credentials of the demo client, `id:secret` */
export function offerTrials(client: string): void {
  const findToken = keepToken(client);
  for (const place of document.querySelectorAll<HTMLElement>('[data-try]')) {
    const form = place.querySelector('form');
    if (!form) continue;
    place.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void tryOnce(form, findToken);
    });
  }
}

/** Caches the demo client's token until one minute before the token expires. */
function keepToken(client: string): () => Promise<string> {
  let kept: { token: string; until: number } | null = null;
  return async () => {
    if (kept && Date.now() < kept.until) return kept.token;
    const headers = { Authorization: `Basic ${btoa(client)}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const answer = await fetch('/oauth/token', { method: 'POST', headers, body });
    const { access_token: token, expires_in: seconds } = await answer.json();
    kept = { token, until: Date.now() + (seconds - 60) * 1000 };
    return token;
  };
}

async function tryOnce(form: HTMLFormElement, findToken: () => Promise<string>): Promise<void> {
  const button = form.querySelector('button')!;
  const said = form.querySelector<HTMLElement>('[data-answer]')!;
  button.disabled = true;
  said.replaceChildren();
  try {
    const answer = await send(form, await (form.dataset['needsToken'] === undefined ? null : findToken()));
    const type = (answer.headers.get('Content-Type') ?? '').replace(/;.*/, '');
    const body = type.endsWith('json') ? await answer.clone().json() : null;
    said.replaceChildren(...(await show(answer, type)));
    if (answer.status === 201) fillCreatedId(new URL(answer.url).pathname, body);
  } catch (error) {
    said.textContent = `No response: ${String(error)}`;
  }
  button.disabled = false;
}

function send(form: HTMLFormElement, token: string | null): Promise<Response> {
  const { method = 'GET', path = '', keyed } = form.dataset;
  const inputs = [...form.querySelectorAll('input')].filter(({ value }) => value !== '');
  const valueOf = (name: string) => inputs.find((input) => input.name === name)?.value ?? '';
  const query = new URLSearchParams();
  for (const { name, value, dataset } of inputs) if (dataset['place'] === 'query') query.append(name, value);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
  const body = form.querySelector('textarea')?.value;
  const headers = {
    Accept: 'application/json, */*;q=0.5',
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(keyed !== undefined && { 'Idempotency-Key': crypto.randomUUID?.() ?? `try-${Date.now()}-${Math.random()}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const search = String(query);
  return fetch(address + (search && `?${search}`), {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
}

/** Shows a response: status and content type, then formatted JSON, an image or plain text. */
async function show(answer: Response, type: string): Promise<HTMLElement[]> {
  const line = document.createElement('p');
  line.textContent = `${answer.status} ${answer.statusText} ${type}`.trim();
  if (type.startsWith('image/')) {
    const picture = document.createElement('img');
    picture.alt = 'The image in the response';
    picture.src = await readAsUrl(await answer.blob());
    return [line, picture];
  }
  const pre = document.createElement('pre');
  const text = await answer.text();
  pre.textContent = type.endsWith('json') && text ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return text ? [line, pre] : [line];
}

/** Reads an image as a `data:` URL, because the page's CSP allows no other image URLs. */
function readAsUrl(blob: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.readAsDataURL(blob);
  });
}

/** Fills the id of a created object into the other forms of the page that need such an id. */
function fillCreatedId(path: string, made: { id?: unknown } | null): void {
  if (typeof made?.id !== 'string') return;
  for (const form of document.querySelectorAll<HTMLFormElement>('[data-try] form')) {
    const [, before, name] = /^([^{]*)\/\{(\w+)\}/.exec(form.dataset['path'] ?? '') ?? [];
    const input = before === path ? form.querySelector<HTMLInputElement>(`input[name="${name}"]`) : null;
    if (input) input.value = made.id;
  }
}
