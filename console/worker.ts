// The service worker of the console. It keeps the shell of one build, and shows it while there is no connection.
// It never keeps a page of a person, never answers a form, and leaves every other request to the browser.
// No import: the server sends this file below `/console/`, with the shell's addresses in its first line.

declare const SHELL: {
  /** Changes with every build. */
  version: string;
  /** The addresses of the two pages, without their language. */
  till: string;
  away: string;
  script: string;
};

type WorkerEvent = Event & { waitUntil(work: Promise<unknown>): void };
type FetchEvent = WorkerEvent & { request: Request; respondWith(answer: Promise<Response>): void };
type Worker = {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
};
const worker = self as unknown as Worker;

const TILL = '/console/charge';
/** The wait for the real till, before the shell is shown in its place. */
const PATIENCE_MS = 1_000;

// A page registers the worker with its language, so that the shell speaks the language of the last visitor.
const { search: language } = new URL(location.href);
const [till, away] = [SHELL.till + language, SHELL.away + language];
const kept = `balcao-${SHELL.version}${language}`;

worker.addEventListener('install', (event) => {
  // Without credentials, the shell cannot have data of a session.
  const wanted = [till, away, SHELL.script].map((url) => new Request(url, { credentials: 'omit' }));
  const store = async () => (await caches.open(kept)).addAll(wanted);
  event.waitUntil(store().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  const deleteOthers = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name !== kept).map((name) => caches.delete(name)));
  };
  event.waitUntil(deleteOthers().then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { pathname, search, origin } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname === SHELL.script) event.respondWith(find(pathname).then((script) => script ?? fetch(request)));
  // Frames and files keep the browser's own behaviour.
  else if (request.mode === 'navigate' && request.destination === 'document' && /^\/console\/[^.]+$/.test(pathname))
    event.respondWith(pathname === TILL ? openTill(request, search) : openOther(request));
});

const find = async (url: string) => (await caches.open(kept)).match(url, { ignoreVary: true });

/**
 * Returns the server's page if it arrives in time, otherwise the cached shell.
 * @param search not empty if the shell itself asks: then the server has all the time it needs
 */
async function openTill(request: Request, search: string): Promise<Response> {
  const network = fetch(request);
  const shell = find(till);
  const instead = async (error?: unknown) => {
    const page = await shell;
    if (page) return page;
    if (error) throw error;
    return network;
  };
  const late = new Promise<Response>((resolve, reject) => {
    if (!search) setTimeout(() => instead().then(resolve, reject), PATIENCE_MS);
  });
  return Promise.race([network.catch(instead), late]);
}

async function openOther(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const page = await find(away);
    if (page) return page;
    throw error;
  }
}
