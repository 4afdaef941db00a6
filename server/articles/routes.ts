// /api/articles: the list of things with a price that a merchant sells at the till.
import { z } from 'zod';
import { actorOf } from '../audit/record.ts';
import type { Core } from '../core.ts';
import { runKeyed } from '../http/idempotency.ts';
import { etagOf } from '../http/precondition.ts';
import { route, type Route } from '../http/route.ts';
import { changeArticle, createArticle, deleteArticle, listArticles, viewEdited } from './change.ts';
import type { Article } from './entities.ts';
import {
  articleAnswer,
  articleChange,
  articleQuery,
  articleRequest,
  byArticle,
  checkPrice,
  MAX_ARTICLES,
  viewArticle,
} from './schemas.ts';

const LIST_PATH = '/api/articles';
const ARTICLE_PATH = `${LIST_PATH}/{articleId}`;

const reads = { tag: 'Articles', access: { kind: 'bearer', scope: 'payments:read' }, bucket: 'read' } as const;
const writes = {
  tag: 'Articles',
  access: { kind: 'bearer', scope: 'merchant:write' },
  bucket: 'write',
  idempotent: true,
} as const;

const EXAMPLE = { name: 'Café', price: 350, currency: 'AOA' };

export function articleRoutes(core: Core): Route[] {
  return [declareList(core), declareCreate(core), declareChange(core), declareDelete(core)];
}

function declareList(core: Core): Route {
  return route({
    ...reads,
    method: 'GET',
    path: LIST_PATH,
    operationId: 'listArticles',
    summary: 'List articles, by position',
    description: `All articles in one answer, at most ${MAX_ARTICLES}.`,
    query: articleQuery,
    answers: { 200: { description: 'All articles', schema: z.object({ data: z.array(taggedArticle) }) } },
    async run({ caller, query }) {
      const articles = await listArticles(core, caller.merchantId, query.isActive);
      return { status: 200, body: { data: articles.map((each) => ({ ...viewArticle(each), etag: tagOf(each) })) } };
    },
  });
}

const tagOf = (article: Article) => etagOf(viewEdited(article));

/** An article of the list carries its entity tag, because no operation reads a single article. */
const taggedArticle = articleAnswer
  .extend({ etag: z.string().describe('The entity tag for `If-Match`; a new position does not change it') })
  .meta({ id: 'ListedArticle' });

const REFUSED_NAME = 'article_name_taken: another active article has the name';

function declareCreate(core: Core): Route {
  return route({
    ...writes,
    method: 'POST',
    path: LIST_PATH,
    operationId: 'createArticle',
    summary: 'Create an article',
    description: `A merchant has at most ${MAX_ARTICLES} articles, hidden ones included.`,
    body: articleRequest,
    checkBody: checkPrice,
    example: EXAMPLE,
    refusals: { 409: `too_many_articles; ${REFUSED_NAME}` },
    answers: { 201: { description: 'Created', schema: articleAnswer } },
    run({ caller, body, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const by = { merchantId, actor: actorOf(caller, address) };
        return { status: 201, body: viewArticle(await createArticle(core, db, by, body)) };
      });
    },
  });
}

function declareChange(core: Core): Route {
  return route({
    ...writes,
    method: 'PUT',
    path: ARTICLE_PATH,
    operationId: 'changeArticle',
    summary: 'Change, hide or move an article',
    description: 'Absent fields stay. The currency cannot change. Earlier charges keep their amount and description.',
    params: byArticle,
    body: articleChange,
    example: { price: 400 },
    tagged: true,
    refusals: { 409: REFUSED_NAME },
    answers: { 200: { description: 'The changed article', schema: articleAnswer } },
    run({ caller, params, body, keyed, ifMatch, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const named = { merchantId, actor: actorOf(caller, address), id: params.articleId.toLowerCase(), ifMatch };
        const article = await changeArticle(core, db, named, body);
        return { status: 200, body: viewArticle(article), headers: { ETag: tagOf(article) } };
      });
    },
  });
}

function declareDelete(core: Core): Route {
  return route({
    ...writes,
    method: 'DELETE',
    path: ARTICLE_PATH,
    operationId: 'deleteArticle',
    summary: 'Delete an article',
    description: 'Earlier charges keep their amount and description.',
    params: byArticle,
    answers: { 204: { description: 'Deleted' } },
    run({ caller, params, keyed, address }) {
      const { merchantId } = caller;
      return runKeyed(core, { merchantId, keyed }, async (db) => {
        const by = { merchantId, actor: actorOf(caller, address) };
        await deleteArticle(core, db, { ...by, id: params.articleId.toLowerCase() });
        return { status: 204 };
      });
    },
  });
}
