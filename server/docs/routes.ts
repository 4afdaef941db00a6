// GET /docs: the API reference as an index page and one page per tag. Each page is rendered once after a start.
import { z } from 'zod';
import { READ_TOKEN, type DocsTag, type DocsView } from '../../shared/docs.ts';
import { readQuery } from '../../shared/search.ts';
import type { Core } from '../core.ts';
import { createPageCache, pagePolicy, sendCompressed, type Assets } from '../http/pages.ts';
import { Problem, type Answer } from '../http/problem.ts';
import { route, type Route } from '../http/route.ts';
import { writeCollection, type CollectionClient } from './collection.ts';
import { describeDocs, type ApiDocument } from './describe.ts';
import type { Context } from 'koa';

/** The render functions and styles of the built pages (dist/ssr/docs.js). */
export type DocsRender = {
  styles: string;
  renderDocs(view: DocsView, query?: string): string;
  renderDocsTag(view: DocsView, tag: DocsTag): string;
};

export type DocsDeps = { core: Core; assets: Pick<Assets, 'url'>; render: DocsRender; document: () => object };

const SCRIPT = 'checkout/docs/docs.client.ts';

/** The demo merchant's values in sample commands. Its API client is missing: revoking it would stop the demo shop. */
const DEMO = 'MERCHANT_ID=00000000-0000-7000-8000-00000000de30\nPOS_ID=demo-pos';

const open = { method: 'GET', tag: 'Docs', access: { kind: 'public' }, bucket: 'public', isHidden: true } as const;
const answers = { 200: { description: 'The page', contentType: 'text/html' } };

/** Declares the /docs pages. The OpenAPI document does not list them. */
export function docsRoutes({ core, assets, render, document }: DocsDeps): Route[] {
  const policy = pagePolicy(render.styles, []);
  const made = createPageCache();
  let view: DocsView | null = null;
  let collection: string | null = null;
  const readView = () => (view ??= viewDocs(core, readDocument(document), assets.url(SCRIPT)));
  return [
    route({
      ...open,
      path: '/docs',
      operationId: 'openDocs',
      summary: 'Show the API reference',
      answers,
      async run({ ctx }) {
        const query = readQuery(ctx.query['q']);
        if (!query) return send(ctx, '', () => render.renderDocs(readView()));
        ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
        ctx.type = 'text/html; charset=utf-8';
        ctx.body = render.renderDocs(readView(), query);
        return { status: 0 };
      },
    }),
    route({
      ...open,
      path: '/docs/balcao.postman_collection.json',
      operationId: 'readCollection',
      summary: 'Download the API as a collection for Postman and Bruno',
      answers: { 200: { description: 'Collection 2.1', contentType: 'application/json' } },
      run: () => ({
        status: 200,
        body: (collection ??= JSON.stringify(writeCollection(readDocument(document), clientOf(core.config)))),
        headers: { 'Cache-Control': 'public, max-age=300', 'Content-Disposition': 'attachment' },
      }),
    }),
    route({
      ...open,
      path: '/docs/{tag}',
      operationId: 'openDocsTag',
      summary: 'Show the operations of one tag',
      params: z.object({ tag: z.string() }),
      answers,
      run({ ctx, params }) {
        const tag = readView().tags.find(({ slug }) => slug === params.tag);
        if (!tag) throw new Problem('not_found');
        return send(ctx, tag.slug, () => render.renderDocsTag(readView(), tag));
      },
    }),
  ];

  async function send(ctx: Context, name: string, write: () => string): Promise<Answer> {
    ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'public, max-age=300' });
    sendCompressed(ctx, await made(name, 'text/html', write));
    return { status: 0 };
  }
}

/** Converts the OpenAPI document to JSON and back, so that it equals the sent document. */
function readDocument(document: () => object): ApiDocument {
  return JSON.parse(JSON.stringify(document())) as ApiDocument;
}

/** Returns the API client of the sandbox's demo merchant. Its secret is public unless the sandbox has a password. */
function clientOf(config: Core['config']): CollectionClient {
  return config.isSandbox
    ? { id: 'demo', secret: config.SANDBOX_PASSWORD ? '' : 'demo-secret' }
    : { id: '', secret: '' };
}

function viewDocs({ config, publicUrl }: Core, document: ApiDocument, script: string | null): DocsView {
  const quotas = {
    write: config.RATE_LIMIT_WRITE,
    read: config.RATE_LIMIT_READ,
    terminal: config.RATE_LIMIT_TERMINAL,
    public: config.RATE_LIMIT_PUBLIC,
  };
  const { id, secret } = clientOf(config);
  const known = secret ? `${id}:${secret}` : null;
  const client = known ?? (config.isSandbox ? 'demo:$SANDBOX_PASSWORD' : '$CLIENT_ID:$CLIENT_SECRET');
  const tokenCommand = `TOKEN=$(curl -s -u "${client}" -d grant_type=client_credentials ${publicUrl}/oauth/token |
  ${READ_TOKEN})`;
  return {
    ...describeDocs(document, quotas),
    publicUrl,
    tokenCommand,
    tryAs: known,
    namesCommand: config.isSandbox ? DEMO : null,
    script,
  };
}
