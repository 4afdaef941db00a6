// The sandbox's entry page, and the switch of the demo shop to other rails.
// These rails are fakes of real providers. The demo merchant gets rail accounts for them.
import Router from '@koa/router';
import { pagePolicy, sendPage } from '../server/http/pages.ts';
import type { RailsView } from '../shared/sandbox.ts';
import { connectGateway, type DemoGateway, type ShopRailAccount } from './gateway.ts';
import { catchRemoteErrors, readForm, showNotice, showPage, tokenCommand, type SandboxOptions } from './page.ts';
import { FAKE_STYLES } from './rails/fake-page.ts';
import { FAKE_NAMES, FAKES, type FakeName, type RailFake } from './rails/fakes.ts';

/**
 * The routes of `/sandbox`, of the buttons below `/sandbox/rails`, and of each fake provider's own page.
 * @param stops the functions that the node calls at its stop; the routes add their own
 */
export function trialPages(options: SandboxOptions, stops: (() => unknown)[]): Router {
  const { render, publicUrl, clock } = options;
  const gateway = connectGateway(options);
  const fakes: RunningFakes = new Map();
  stops.push(() => Promise.all([...fakes.keys()].map((name) => stopFake(fakes, name))));
  const enqueue = createQueue();
  const router = new Router();
  router.use(catchRemoteErrors(options));

  router.get('/sandbox', async (ctx) => {
    const rails = viewRails(await gateway.listRailAccounts(), fakes);
    const now = clock.now();
    const time = { now: now.toISOString(), isAhead: now.getTime() - clock.outside().getTime() > 1_000 };
    const view = { publicUrl: publicUrl(), tokenCommand: tokenCommand(options), rails, time };
    showPage(ctx, options, render.renderSandbox(view));
  });

  router.post('/sandbox/rails/accounts/:id/remove', async (ctx) => {
    await enqueue(() => leave(gateway, fakes, ctx.params['id'] ?? ''));
    ctx.status = 303;
    ctx.redirect(PART);
  });

  router.post('/sandbox/rails/:name', async (ctx) => {
    const name = nameOf(ctx.params['name']);
    if (!name) return showNotice(ctx, options, 404, NO_FAKE);
    await enqueue(async () => enter(gateway, name, await startFake(fakes, name, options), options));
    ctx.status = 303;
    return ctx.redirect(PART);
  });

  router.get('/sandbox/rails/:name', (ctx) => {
    const started = fakes.get(ctx.params['name'] as FakeName);
    if (!started) return showNotice(ctx, options, 404, NO_FAKE);
    // The relative URLs of the forms need the trailing slash.
    if (!ctx.path.endsWith('/')) return ctx.redirect(`${ctx.path}/`);
    sendPage(ctx, started.fake.page(), pagePolicy(FAKE_STYLES, []));
    // `same-origin` keeps the Origin of our forms, as in `showPage`.
    ctx.set('Referrer-Policy', 'same-origin');
  });

  router.post('/sandbox/rails/:name/_act', async (ctx) => {
    const started = fakes.get(ctx.params['name'] as FakeName);
    if (!started) return showNotice(ctx, options, 404, NO_FAKE);
    const form = await readForm(ctx);
    await started.fake.act(form.get('id') ?? '', form.get('action') ?? '');
    ctx.status = 303;
    return ctx.redirect(`/sandbox/rails/${ctx.params['name']}/`);
  });

  return router;
}

const PART = '/sandbox#rails';

const NO_FAKE = {
  title: 'Este prestador não está ligado',
  text: 'Ligue-o na página inicial do ambiente de testes. O que tinha de outra vez, esqueceu.',
  link: { href: PART, text: 'Ir para o início' },
};

const nameOf = (text: string | undefined) => FAKE_NAMES.find((name) => name === text);

type RunningFakes = Map<FakeName, RailFake>;

/** Creates a queue that runs works in turn, so that a second press of a button finds the result of the first. */
function createQueue(): (work: () => Promise<void>) => Promise<void> {
  let last = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}

/** Starts a fake provider on its own port. */
async function startFake(fakes: RunningFakes, name: FakeName, { clock }: SandboxOptions): Promise<RailFake> {
  const started = fakes.get(name) ?? (await FAKES[name].start(clock, 0));
  fakes.set(name, started);
  return started;
}

async function stopFake(fakes: RunningFakes, name: FakeName): Promise<void> {
  const started = fakes.get(name);
  fakes.delete(name);
  await started?.fake.stop();
}

/** Creates a fake provider's rail accounts, or updates those of an earlier run. They get the best priority. */
async function enter(gateway: DemoGateway, name: FakeName, started: RailFake, options: SandboxOptions): Promise<void> {
  const existing = await gateway.listRailAccounts();
  const priority = Math.max(0, Math.min(FIRST_PRIORITY, ...existing.map((account) => account.priority)) - 1);
  const about = { connector: name, label: `${FAKES[name].title} (a fingir)`, environment: 'test', priority };
  for (const account of started.accounts) {
    const before = existing.find((one) => isOf(name, one) && one.kind === account.kind);
    const body = { ...about, ...account, status: 'active' };
    const { notificationUrl } = await gateway.enterRailAccount(body, before?.id ?? null);
    // The node reaches itself at this URL.
    started.notifyTo?.(options.apiUrl() + new URL(notificationUrl).pathname);
  }
}

const FIRST_PRIORITY = 500;

/** Removes a fake's rail account. One with open payments is disabled instead. New payments then use the simulator. */
async function leave(gateway: DemoGateway, fakes: RunningFakes, id: string): Promise<void> {
  const account = (await gateway.listRailAccounts()).find((one) => one.id === id);
  if (!account) return;
  if (!(await gateway.removeRailAccount(id))) {
    const { kind, connector, label, environment, priority, settings } = account;
    const body = { kind, connector, label, environment, priority, settings, status: 'disabled' };
    await gateway.enterRailAccount(body, id);
  }
  const name = nameOf(account.connector);
  const isNeeded = (await gateway.listRailAccounts()).some((one) => one.connector === name);
  if (name && !isNeeded) await stopFake(fakes, name);
}

/** True for a rail account at a fake provider. An account at the provider's real sandbox does not count. */
function isOf(name: FakeName, { connector, settings }: ShopRailAccount): boolean {
  return connector === name && String(settings['baseUrl']).startsWith('http://127.0.0.1:');
}

function viewRails(accounts: ShopRailAccount[], fakes: RunningFakes): RailsView {
  return {
    accounts: accounts.map(({ id, label, kind, status }) => ({ id, label, kind, isStopped: status !== 'active' })),
    trials: FAKE_NAMES.map((name) => ({
      name,
      title: FAKES[name].title,
      about: FAKES[name].about,
      isChosen: accounts.some((account) => isOf(name, account) && account.status === 'active'),
      isRunning: fakes.has(name),
    })),
  };
}
