// The payer's phone in the sandbox: its pushes, and the owner's answers to them.
import Router from '@koa/router';
import type { Context } from 'koa';
import { normalizePhone } from '../shared/phone.ts';
import { showNotice, showPage, type SandboxOptions } from './page.ts';
import { connectRail, VERDICTS } from './rail.ts';
import type { PhoneView } from '../shared/sandbox.ts';

/** The routes of `/sandbox/phone`, and of the page of each phone number. */
export function phonePages(options: SandboxOptions): Router {
  const { render, clock, assets } = options;
  const rail = connectRail(options);
  const router = new Router({ prefix: '/sandbox/phone' });

  router.get('/', async (ctx) => {
    const typed = String(ctx.query['number'] ?? '').slice(0, 40);
    const number = numberOf(typed);
    if (number) return goTo(ctx, number);
    const phones = await rail.listWaiting();
    showPage(ctx, options, render.renderPhoneList({ phones, typed, isWrong: typed !== '' }));
  });

  router.get('/:number', async (ctx) => {
    const number = numberOf(ctx.params['number']);
    if (!number) return showNotice(ctx, options, 404, NO_NUMBER);
    if (number !== ctx.params['number']) return goTo(ctx, number);
    const view = await readPhone(number);
    showPage(ctx, options, render.renderPhone({ ...view, script: assets.url('sandbox/pages/phone.client.ts') }));
  });

  router.get('/:number/pushes', async (ctx) => {
    const number = numberOf(ctx.params['number']);
    ctx.status = number ? 200 : 404;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = number ? await readPhone(number) : { pushes: [] };
  });

  for (const verdict of VERDICTS) {
    router.post(`/:number/pushes/:id/${verdict}`, async (ctx) => {
      const number = numberOf(ctx.params['number']);
      if (!number) return showNotice(ctx, options, 404, NO_NUMBER);
      await rail.answerPush(ctx.params['id'] ?? '', verdict);
      goTo(ctx, number);
    });
  }

  return router;

  async function readPhone(number: string): Promise<PhoneView> {
    const pushes = await rail.listPushes(number);
    return { number, serverTime: clock.now().toISOString(), pushes };
  }
}

const NO_NUMBER = {
  title: 'Isto não é um número de telemóvel',
  text: 'Os números de Angola têm 9 algarismos e começam por 9.',
  link: { href: '/sandbox/phone', text: 'Escolher um número' },
};

/** The nine digits of a phone number in any common format. */
function numberOf(text: string | undefined): string | null {
  return normalizePhone(text ?? '')?.slice('+244'.length) ?? null;
}

function goTo(ctx: Context, number: string): void {
  ctx.status = 303;
  ctx.redirect(`/sandbox/phone/${number}`);
}
