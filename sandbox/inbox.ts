// `/sandbox/inbox`: shows the sandbox's inbox to people and scripts, and sends replies to SMS.
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { UUID } from '../server/http/fields.ts';
import { readBody } from '../server/http/body.ts';
import { faultsOf } from '../server/http/validate.ts';
import { invalidFields, Problem } from '../server/http/problem.ts';
import type { Inbox } from './simulator/inbox.ts';
import { catchRemoteErrors, showNotice, showPage, type SandboxOptions } from './page.ts';
import { callRail } from './rail.ts';
import { readAnswer } from './remote.ts';

const PATH = '/sandbox/inbox';
const MAX_BYTES = 10_000;

export type InboxOptions = SandboxOptions & {
  /** The SMS simulator's base URL. */
  smsUrl: () => string;
  hasMailServer: boolean;
  hasSmsRail: boolean;
};

/** The inbox's page for people. Scripts use `GET ?to=` with `Accept: application/json`, and `POST reply` with JSON. */
export function inboxPages(options: InboxOptions, inbox: Inbox): Router {
  const { render, hasMailServer, hasSmsRail } = options;
  const router = new Router({ prefix: PATH });
  router.use(catchRemoteErrors(options));

  router.get('/', async (ctx) => {
    const to = trimReader(ctx.query['to']);
    const letters = await inbox.list(to);
    if (ctx.accepts('html', 'json') === 'json') {
      ctx.set({ 'Cache-Control': 'no-store', Vary: 'Accept' });
      ctx.body = { data: letters };
    } else {
      const repliedTo = String(ctx.query['replied'] ?? '') || null;
      showPage(ctx, options, render.renderInbox({ to, letters, hasMailServer, hasSmsRail, repliedTo }));
      ctx.append('Vary', 'Accept');
    }
  });

  router.post('/reply', async (ctx) => {
    const sent = (await readBody(ctx, true, MAX_BYTES)) ?? {};
    const read = replyRequest.safeParse(sent);
    const isForm = Boolean(ctx.is('urlencoded'));
    if (!read.success) {
      if (!isForm) throw invalidFields(faultsOf(read.error, sent));
      return showNotice(ctx, options, 400, NO_WORDS);
    }
    const { id, text, to } = read.data;
    const answer = await sendReply(options, id, text);
    if (isForm) return answer ? showAgain(ctx, to, id) : showNotice(ctx, options, 404, NO_MESSAGE);
    if (!answer) throw new Problem('not_found');
    ctx.status = 202;
    ctx.body = answer;
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

const replyRequest = z.object({
  id: z.string().min(1).max(64),
  text: z.string().trim().min(1).max(1_530),
  /** The recipient filter of the page. */
  to: z.unknown().optional().transform(trimReader),
});

const NO_WORDS = {
  title: 'A resposta não tem palavras',
  text: 'Escreva o que essa pessoa responde, até 1530 caracteres.',
  link: { href: PATH, text: 'Voltar à caixa' },
};

const NO_MESSAGE = {
  title: 'Não encontramos essa mensagem',
  text: 'Só se responde a um SMS que o simulador entregou.',
  link: { href: PATH, text: 'Voltar à caixa' },
};

/** Sends a reply and returns the id of the rail's notification. Null if the rail does not know the SMS. */
async function sendReply(options: InboxOptions, id: string, text: string): Promise<{ id: string } | null> {
  // An id such as `..` would change the path of the URL.
  if (!UUID.test(id)) return null;
  const rail = { ...options, railUrl: options.smsUrl };
  const answer = await callRail(rail, 'POST', `/messages/${encodeURIComponent(id)}/reply`, { text });
  return answer.status === 404 ? null : readAnswer(answer, z.object({ id: z.string() }));
}

function showAgain(ctx: Context, to: string, id: string): void {
  const query = new URLSearchParams({ ...(to && { to }), replied: id });
  ctx.status = 303;
  // The SMS that got a reply may be far down the page.
  ctx.redirect(`${PATH}?${query}#${encodeURIComponent(id)}`);
}

function trimReader(to: unknown): string {
  return typeof to === 'string' ? to.trim().slice(0, 254) : '';
}
