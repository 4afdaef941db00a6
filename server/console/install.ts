// The routes of the installed console: the manifest, the icons, the service worker and the pages of the shell.
// They read no session and contain no data of a person or a merchant.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { ConsoleRender, ShellPage } from '../../shared/console.ts';
import { MANIFEST, SHELL, TOUCH_ICON, WORKER } from '../../shared/install.ts';
import { LANGUAGES, type Language } from '../../shared/language.ts';
import { createPageCache, languageOf, sendCompressed, type Assets } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { drawIcon, writeIconSvg, type IconShape } from './icons.ts';
import { hidden, showConsolePage } from './sign-in.ts';

type InstallDeps = { assets: Assets; render: ConsoleRender };

/** The colours of a light page, for the window's frame and the splash screen. */
const PAPER = '#faf8f4';

/** The icons that a browser chooses from, by path. `maskable` icons fill the square, and phones cut a shape out. */
const ICONS: Record<string, IconShape> = {
  '/console/icon-192.png': { size: 192, isFull: false },
  '/console/icon-512.png': { size: 512, isFull: false },
  '/console/icon-maskable.png': { size: 512, isFull: true },
  [TOUCH_ICON]: { size: 180, isFull: true },
};
const SVG_ICON = '/console/icon.svg';

/** Matches a start of the console that a manifest may name. */
const START = /^\/console\/[a-z]+$/;

const SCRIPT = 'console/shell.client.ts';

const open = { ...hidden, method: 'GET', bucket: null } as const;
const answers = (contentType: string) => ({ 200: { description: 'The file', contentType } });

export function installRoutes(deps: InstallDeps): Route[] {
  const shell = createShell(deps);
  return [
    declareManifest(),
    ...Object.entries(ICONS).map(([path, shape]) => declareIcon(path, 'image/png', () => drawIcon(shape))),
    declareIcon(SVG_ICON, 'image/svg+xml', () => Buffer.from(writeIconSvg())),
    declareWorker(deps, shell),
    ...(['till', 'away'] as const).map((name) => declareShell(deps, shell, name)),
  ];
}

/** @returns the manifest; `start` is the path that the installed console opens with, by the person's role */
function declareManifest(): Route {
  return route({
    ...open,
    path: MANIFEST,
    operationId: 'console:manifest',
    summary: 'The web app manifest of the console',
    answers: answers('application/manifest+json'),
    run({ ctx }) {
      const { start } = ctx.query;
      const startUrl = typeof start === 'string' && START.test(start) ? start : '/console/charge';
      const headers = { 'Cache-Control': 'public, max-age=3600' };
      return { status: 200, body: manifestOf(startUrl), type: 'application/manifest+json', headers };
    },
  });
}

const manifestOf = (startUrl: string) => ({
  id: '/console/',
  name: 'Balcão',
  short_name: 'Balcão',
  description: 'Cobrar, ver pagamentos e fechar o dia.',
  lang: 'pt',
  dir: 'ltr',
  start_url: startUrl,
  scope: '/console/',
  display: 'standalone',
  theme_color: PAPER,
  background_color: PAPER,
  icons: [
    { src: SVG_ICON, sizes: 'any', type: 'image/svg+xml' },
    ...Object.entries(ICONS).map(([src, { size, isFull }]) => ({
      src,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: isFull ? 'maskable' : 'any',
    })),
  ],
});

/** An icon is drawn at its first request, and kept. */
function declareIcon(path: string, type: string, draw: () => Buffer): Route {
  let drawn: Buffer | undefined;
  return route({
    ...open,
    path,
    operationId: `console:icon:${path}`,
    summary: 'An icon of the installed console',
    answers: answers(type),
    run: () => ({
      status: 200,
      body: (drawn ??= draw()),
      type,
      headers: { 'Cache-Control': 'public, max-age=86400' },
    }),
  });
}

/** The shell of this build. Null if its script was not built. */
type Shell = {
  /** Changes with every build, so that a worker caches the shell of one build only. */
  version: string;
  script: string;
  pages: Record<ShellPage, Record<Language, string>>;
};

/** Renders the shell once, at the first request. */
function createShell({ assets, render }: InstallDeps): () => Shell | null {
  let made: Shell | null | undefined;
  return () => (made === undefined ? (made = makeShell(assets, render)) : made);
}

function makeShell(assets: Assets, render: ConsoleRender): Shell | null {
  const script = assets.url(SCRIPT);
  if (!script) return null;
  const inEachLanguage = (name: ShellPage) =>
    Object.fromEntries(LANGUAGES.map((lang) => [lang, render.renderShell(name, lang, script)])) as Record<
      Language,
      string
    >;
  const pages = { till: inEachLanguage('till'), away: inEachLanguage('away') };
  const digest = createHash('sha256').update(JSON.stringify([...assets.files.keys()].sort()));
  const version = digest.update(JSON.stringify(pages)).digest('base64url').slice(0, 16);
  return { version, script, pages };
}

/** The worker names its build in its first line. Browsers compare its bytes, and install it again after a release. */
function declareWorker({ assets }: InstallDeps, shell: () => Shell | null): Route {
  const made = createPageCache();
  return route({
    ...open,
    path: WORKER,
    operationId: 'console:worker',
    summary: 'The service worker of the console',
    answers: answers('text/javascript'),
    async run({ ctx }) {
      const source = assets.files.get(assets.url('console/worker.ts') ?? '');
      const current = shell();
      if (!source || !current) throw new Problem('not_found');
      const { version, script } = current;
      const names = { version, till: `${SHELL}/${version}/till`, away: `${SHELL}/${version}/away`, script };
      const write = () => `const SHELL=${JSON.stringify(names)};\n${source.bytes.toString('utf8')}`;
      // The worker's own policy: it asks this host only, and loads no script.
      ctx.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': "default-src 'none'; connect-src 'self'" });
      sendCompressed(ctx, await made('worker', 'text/javascript', write));
      return { status: 0 };
    },
  });
}

/** A page of the shell. Another build's version is unknown here, so a worker never caches a page of two builds. */
function declareShell({ render }: InstallDeps, shell: () => Shell | null, name: ShellPage): Route {
  return route({
    ...open,
    path: `${SHELL}/{version}/${name}`,
    operationId: `console:shell:${name}`,
    summary: 'A page that the worker shows without a connection',
    answers: answers('text/html'),
    run: ({ ctx }) => sendShell(render, ctx, shell(), name),
  });
}

function sendShell(render: ConsoleRender, ctx: Context, shell: Shell | null, name: ShellPage): Answer {
  const { version } = ctx['params'] as Record<string, string>;
  if (!shell || version !== shell.version) throw new Problem('not_found');
  showConsolePage(render, ctx, shell.pages[name][languageOf(ctx)]);
  return { status: 0 };
}
