// The payer's app for QR codes in the sandbox: reads a code, pays the code, and shows the outcome.
import Router from '@koa/router';
import type { Context } from 'koa';
import { normalizePhone } from '../shared/phone.ts';
import type { ScanFormView } from '../shared/sandbox.ts';
import { invalidFields, Problem } from '../server/http/problem.ts';
import { connectCodes, type ScanRefusal } from './codes.ts';
import { readFields, showNotice, showPage, type SandboxOptions } from './page.ts';

/** The maximum length of a QR code's content, in characters. */
const MAX_CONTENT = 4_296;

const REFUSED_STATUS: Record<ScanRefusal, number> = { unknown: 404, used_up: 409, ended: 409, withdrawn: 409 };

/** The routes of `/sandbox/scan`: a page for people, and JSON for scripts. */
export function scanPages(options: SandboxOptions): Router {
  const { render, assets } = options;
  const codes = connectCodes(options);
  const router = new Router({ prefix: '/sandbox/scan' });
  const script = () => assets.url('sandbox/pages/scan.client.ts');

  router.get('/', async (ctx) => {
    const content = trimContent(ctx.query['content']);
    await showForm(ctx, { content, phone: '', phoneError: false });
  });

  router.post('/', async (ctx) => {
    const fields = await readFields(ctx);
    const content = trimContent(fields.get('content'));
    const typed = (fields.get('phone') ?? '').slice(0, 40);
    const phone = normalizePhone(typed);
    const isForm = Boolean(ctx.is('urlencoded'));
    if (!isForm) return payForScript(ctx, content, phone);
    if (!phone) return showForm(ctx, { content, phone: typed, phoneError: true }, 400);
    const scan = content === '' ? 'unknown' : await codes.payCode(content, phone);
    // The current state of the QR code is the reason of the refusal.
    if (typeof scan === 'string')
      return showForm(ctx, { content, phone: typed, phoneError: false }, REFUSED_STATUS[scan]);
    ctx.status = 303;
    return ctx.redirect(`/sandbox/scan/${encodeURIComponent(scan.id)}`);
  });

  router.get('/:id', async (ctx) => {
    const scan = await codes.findScan(ctx.params['id'] ?? '');
    if (!scan) return showNotice(ctx, options, 404, NO_SCAN);
    return showPage(ctx, options, render.renderScan(scan));
  });

  return router;

  async function showForm(ctx: Context, form: Omit<ScanFormView, 'code'>, status = 200): Promise<void> {
    const code = form.content === '' ? null : await codes.readCode(form.content);
    showPage(ctx, options, render.renderScanForm({ ...form, code, script: script() }), status);
  }

  /** Pays a QR code. @throws Problem not_found if it is unknown, state_conflict if it accepts no more payments */
  async function payForScript(ctx: Context, content: string, phone: string | null): Promise<void> {
    if (!phone) throw invalidFields([{ pointer: '/phone', code: 'invalid_phone' }]);
    const scan = content === '' ? 'unknown' : await codes.payCode(content, phone);
    if (scan === 'unknown') throw new Problem('not_found');
    if (typeof scan === 'string') throw new Problem('state_conflict', { extra: { reason: scan } });
    ctx.status = 201;
    ctx.set({ 'Cache-Control': 'no-store', Location: `/sandbox/scan/${encodeURIComponent(scan.id)}` });
    ctx.body = scan;
  }
}

const NO_SCAN = {
  title: 'Não encontramos esse pagamento',
  text: 'Leia o código outra vez.',
  link: { href: '/sandbox/scan', text: 'Ler um código' },
};

/** Trims the content of a QR code, because pasted text may have spaces and line ends around it. */
function trimContent(content: unknown): string {
  return typeof content === 'string' ? content.trim().slice(0, MAX_CONTENT) : '';
}
