// The sandbox's pages for people: the test phone, paying a QR code or a reference, and the demo shop.
import Router from '@koa/router';
import { atmPages } from './atm.ts';
import { demoShop } from './shop/demo.ts';
import { catchRemoteErrors, type SandboxOptions } from './page.ts';
import { phonePages } from './phone.ts';
import { scanPages } from './scan.ts';

/**
 * The routes below `/sandbox` and `/demo`, except the entry page (trials.ts).
 * The caller must mount the middleware `guardSandbox` before these routes.
 */
export function sandboxPages(options: SandboxOptions): Router {
  const router = new Router();
  router.use(catchRemoteErrors(options));
  for (const part of [phonePages, scanPages, atmPages, demoShop]) router.use(part(options).routes());
  return router;
}
