// The sandbox's pages for people: what there is, the test phone, paying a QR code or a reference, and the demo shop.
import Router from '@koa/router';
import { atmPages } from './atm.ts';
import { demoShop } from './shop/demo.ts';
import { catchAway, showPage, tokenCommand, type SandboxOptions } from './page.ts';
import { phonePages } from './phone.ts';
import { scanPages } from './scan.ts';

/** Everything under `/sandbox` and `/demo` that people look at; to be mounted behind `guardSandbox`. */
export function sandboxPages(options: SandboxOptions): Router {
  const { render, publicUrl } = options;
  const router = new Router();
  router.use(catchAway(options));
  router.get('/sandbox', (ctx) => {
    const view = { publicUrl: publicUrl(), tokenCommand: tokenCommand(options) };
    showPage(ctx, options, render.renderSandbox(view));
  });
  for (const part of [phonePages, scanPages, atmPages, demoShop]) router.use(part(options).routes());
  return router;
}
