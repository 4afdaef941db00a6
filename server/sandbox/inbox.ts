// The sandbox's inbox as people and scripts read it: `/sandbox/inbox`.
import Router from '@koa/router';
import { showPage, type SandboxOptions } from './page.ts';
import type { Inbox } from './inbox-letters.ts';

const PATH = '/sandbox/inbox';

export type InboxOptions = SandboxOptions & { hasMailServer: boolean };

/** A page for people; `GET ?to=` with `Accept: application/json` for scripts. */
export function inboxPages(options: InboxOptions, inbox: Inbox): Router {
  const router = new Router({ prefix: PATH });

  router.get('/', async (ctx) => {
    const to = String(ctx.query['to'] ?? '')
      .trim()
      .slice(0, 254);
    const letters = await inbox.list(to);
    if (ctx.accepts('html', 'json') === 'json') {
      ctx.set({ 'Cache-Control': 'no-store', Vary: 'Accept' });
      ctx.body = { data: letters };
    } else {
      showPage(ctx, options, options.render.renderInbox({ to, letters, hasMailServer: options.hasMailServer }));
      ctx.append('Vary', 'Accept');
    }
  });

  router.delete('/', async (ctx) => {
    await inbox.empty();
    ctx.status = 204;
  });
  router.post('/empty', async (ctx) => {
    await inbox.empty();
    ctx.status = 303;
    ctx.redirect(PATH);
  });

  return router;
}
