// `/sandbox/callbacks`: the calls to the demo shop's server, its answer mode, and the URL that receives the calls.
import { createHash } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Pool } from 'pg';
import { z } from 'zod';
import { SHOP_MODES } from '../../shared/sandbox.ts';
import { readBody } from '../../server/http/body.ts';
import { faultsOf } from '../../server/http/validate.ts';
import { invalidFields } from '../../server/http/problem.ts';
import { connectGateway } from '../gateway.ts';
import { openShopStore } from './merchant-arrivals.ts';
import { receiveCalls } from './merchant-hook.ts';
import { showNotice, showPage, type SandboxOptions } from '../page.ts';
import { RemoteError } from '../remote.ts';
import { DEMO, HOOK_PATH } from '../seed.ts';

const PATH = '/sandbox/callbacks';
const MAX_BYTES = 10_000;

const seconds = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value),
  z.number().int().min(1).max(120).optional(),
);

const modeRequest = z.object({ mode: z.enum(SHOP_MODES), delaySeconds: seconds });

export type CallbackOptions = SandboxOptions & { pool: Pool; stopping: AbortSignal };

/** The routes of the demo shop's server: a page for people, JSON for scripts, and the URL that receives calls. */
export async function callbackPages(options: CallbackOptions): Promise<Router> {
  const { pool, clock, stopping, render, assets, publicUrl } = options;
  const store = openShopStore(pool);
  await store.prepare();
  const gateway = connectGateway(options);
  const router = new Router({ prefix: PATH });

  router.post('/hook', receiveCalls({ store, accessKey: DEMO.accessKey, clock, stopping }));
  router.all('/hook', (ctx) => {
    ctx.set('Allow', 'POST');
    ctx.status = 405;
  });

  router.get('/', async (ctx) => {
    const view = await store.read();
    if (ctx.accepts('html', 'json') === 'json') return sendTagged(ctx, JSON.stringify(view));
    const script = assets.url('sandbox/pages/callbacks.client.ts');
    const address = { hookUrl: publicUrl() + HOOK_PATH, accessKey: DEMO.accessKey, merchantId: DEMO.merchantId };
    showPage(ctx, options, render.renderCallbacks({ ...view, ...address, publicUrl: publicUrl(), script }));
    return ctx.append('Vary', 'Accept');
  });

  router.put('/mode', async (ctx) => {
    await setMode(ctx);
    ctx.set('Cache-Control', 'no-store');
    ctx.body = await store.readMode();
  });
  router.post('/mode', async (ctx) => {
    await setMode(ctx);
    showAgain(ctx);
  });

  router.delete('/', async (ctx) => {
    await store.forget();
    ctx.status = 204;
  });
  router.post('/forget', async (ctx) => {
    await store.forget();
    showAgain(ctx);
  });

  router.post('/test', async (ctx) => {
    if (await sendTest()) showAgain(ctx);
    else showNotice(ctx, options, 409, NO_ADDRESS);
  });

  return router;

  /** Requests a test callback. True after a timeout too, because the page shows a slow shop. */
  async function sendTest(): Promise<boolean> {
    try {
      return await gateway.sendTest();
    } catch (error) {
      if (error instanceof RemoteError) return true;
      throw error;
    }
  }

  async function setMode(ctx: Context): Promise<void> {
    const sent = (await readBody(ctx, true, MAX_BYTES)) ?? {};
    const read = modeRequest.safeParse(sent);
    if (!read.success) throw invalidFields(faultsOf(read.error, sent));
    const { mode, delaySeconds } = read.data;
    await store.setMode(mode, delaySeconds ?? (mode === 'slow' ? 5 : null));
  }
}

const NO_ADDRESS = {
  title: 'A loja não tem endereço para callbacks',
  text: 'Foi retirado. Veja em “Endereço e chave” como o pôr outra vez.',
  link: { href: PATH, text: 'Voltar ao servidor da loja' },
};

/** Sends JSON with an entity tag. Pages poll each second, so an unchanged answer is sent as 304. */
function sendTagged(ctx: Context, json: string): void {
  const tag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
  ctx.set({ 'Cache-Control': 'no-store', Vary: 'Accept', ETag: tag });
  // Compares the entity tag here, because `ctx.fresh` is false for requests with `no-cache`.
  // Scripts send `no-cache` together with their entity tag.
  ctx.status = ctx.get('if-none-match') === tag ? 304 : 200;
  if (ctx.status === 304) return;
  ctx.type = 'json';
  ctx.body = json;
}

function showAgain(ctx: Context): void {
  ctx.status = 303;
  ctx.redirect(PATH);
}
