// Which declared route answers a request. A router tries its paths one after the other: with all of them in one, that was a twelfth of
// what a request costs. So each beginning of a path has a router of its own.
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { serveRoute, type RequestServices, type Route } from './http/route.ts';

/** Answers declared routes, and says of their paths what else they answer (405, OPTIONS). */
export function mountRoutes(routes: Route[], deps: RequestServices): Middleware {
  const open = new Set(routes.filter(({ path }) => /^\/[^/]+\/\{/.test(path)).map(({ path }) => beginningOf(path, 1)));
  const find = (path: string) => {
    const first = beginningOf(path, 1);
    return open.has(first) ? first : beginningOf(path, 2);
  };
  const routers = new Map<string, Middleware>();
  for (const [beginning, those] of Map.groupBy(routes, ({ path }) => find(path)))
    routers.set(beginning, routerOf(those, deps));
  return (ctx, next) => routers.get(find(ctx.path))?.(ctx, next) ?? next();
}

/** So many parts of a path, without an ending that names a file or a slash. */
function beginningOf(path: string, parts: number): string {
  return path
    .split('/', parts + 1)
    .join('/')
    .replace(/(\.csv|\/)$/, '');
}

function routerOf(routes: Route[], deps: RequestServices): Middleware {
  const router = new Router({ sensitive: true });
  for (const declared of routes) {
    const path = declared.path.replace(/\{(\w+)\}/g, ':$1');
    // First, or `{id}` would take the ending for its own.
    if (declared.csv) router.register(`${path}.csv`, [declared.method], serveRoute(declared, deps, true));
    const layer = router.register(path, [declared.method], serveRoute(declared, deps));
    // The router answers HEAD with the GET's handler; without it among its methods HEAD is 405, and Allow says so.
    if (declared.changesState || declared.isStream) layer.methods = layer.methods.filter((method) => method !== 'HEAD');
  }
  const [answer, refuse] = [router.routes(), router.allowedMethods()] as Middleware[] as [Middleware, Middleware];
  return (ctx, next) => answer(ctx, () => refuse(ctx, next));
}
