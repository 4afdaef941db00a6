// Creates, changes, orders and deletes articles. A lock serializes the changes of one merchant.
import { v7 as uuid } from 'uuid';
import { toMinor } from '../../shared/money.ts';
import { changesOf, recordAudit, type Actor } from '../audit/record.ts';
import type { Core } from '../core.ts';
import { em, takeLock, type Db } from '../database/db.ts';
import { requireMatch } from '../http/precondition.ts';
import { invalidFields, Problem } from '../http/problem.ts';
import { Article } from './entities.ts';
import { findPriceFaults, MAX_ARTICLES, type ArticleChange } from './schemas.ts';

type By = { merchantId: string; actor: Actor };
type NewArticle = ArticleChange & { name: string; price: string; currency: string };

/** Returns all articles of a merchant in their order. */
export function listArticles(db: Db, merchantId: string, isActive?: boolean): Promise<Article[]> {
  const where = { merchantId, ...(isActive !== undefined && { isActive }) };
  return em(db).find(Article, where, { orderBy: { position: 'asc', id: 'asc' } });
}

/** The part of an article that a person edits. Its entity tag ignores a new place of other articles. */
export function viewEdited({ name, priceMinor, currency, isActive }: Article) {
  return { name, priceMinor, currency, isActive };
}

/** Creates an article. @throws Problem too_many_articles, article_name_taken */
export async function createArticle(core: Core, db: Db, by: By, request: NewArticle): Promise<Article> {
  const articles = await lockArticles(db, by.merchantId);
  if (articles.length >= MAX_ARTICLES) throw new Problem('too_many_articles');
  const { name, price, currency, isActive = true } = request;
  const [id, at] = [uuid(), core.clock.now()];
  const edited = { name, priceMinor: readPrice(price, currency), currency, isActive };
  refuseTakenName(articles, { id, name, isActive });
  const place = { position: articles.length + 1, createdAt: at, updatedAt: at };
  await em(db).insert(Article, { id, merchantId: by.merchantId, ...edited, ...place });
  if (request.position) await moveTo(db, [...articles, { id, position: place.position }], id, request.position);
  const changes = changesOf({}, edited);
  await recordAudit(db, { ...by, action: 'article.created', target: id, changes, at });
  return em(db).findOneOrFail(Article, { id });
}

type Named = By & { id: string; ifMatch: string | null };

/** Changes the given fields of an article. @throws Problem not_found, precondition_failed, article_name_taken */
export async function changeArticle(core: Core, db: Db, named: Named, request: ArticleChange): Promise<Article> {
  const { id, ifMatch, ...by } = named;
  const articles = await lockArticles(db, by.merchantId);
  const known = articles.find((each) => each.id === id);
  if (!known) throw new Problem('not_found');
  requireMatch(ifMatch, viewEdited(known));
  const { name = known.name, price, isActive = known.isActive } = request;
  const priceMinor = price === undefined ? known.priceMinor : readPrice(price, known.currency);
  const edited = { name, priceMinor, isActive };
  refuseTakenName(articles, { id, name, isActive });
  const at = core.clock.now();
  const changes = changesOf<Partial<Article>>(known, edited);
  if (Object.keys(changes).length > 0) {
    await em(db).nativeUpdate(Article, { id }, { ...edited, updatedAt: at });
    await recordAudit(db, { ...by, action: 'article.changed', target: id, changes, at });
  }
  if (request.position) await moveTo(db, articles, id, request.position);
  return em(db).findOneOrFail(Article, { id });
}

/** Deletes an article. Earlier charges keep their description. @throws Problem not_found */
export async function deleteArticle(core: Core, db: Db, { id, ...by }: By & { id: string }): Promise<void> {
  const articles = await lockArticles(db, by.merchantId);
  const known = articles.find((each) => each.id === id);
  if (!known) throw new Problem('not_found');
  await moveTo(db, articles, id, articles.length);
  await em(db).nativeDelete(Article, { id });
  const changes = { name: known.name };
  await recordAudit(db, { ...by, action: 'article.deleted', target: id, changes, at: core.clock.now() });
}

async function lockArticles(db: Db, merchantId: string): Promise<Article[]> {
  await takeLock(db, `articles ${merchantId}`);
  return listArticles(db, merchantId);
}

/** @throws Problem with the fault of the price */
function readPrice(price: string, currency: string): number {
  const faults = findPriceFaults(price, currency);
  const read = toMinor(price, currency);
  if (faults.length > 0 || !('minor' in read)) throw invalidFields(faults);
  return read.minor;
}

type Owner = Pick<Article, 'id' | 'name' | 'isActive'>;

function refuseTakenName(articles: Owner[], { id, name, isActive }: Owner): void {
  const isTaken = articles.some((each) => each.id !== id && each.isActive && each.name === name);
  if (isActive && isTaken) throw new Problem('article_name_taken');
}

type Placed = Pick<Article, 'id' | 'position'>;

/** Moves an article to a place. Only rows with a new place are written. */
async function moveTo(db: Db, articles: Placed[], id: string, position: number): Promise<void> {
  const moved = articles.filter((each) => each.id === id);
  const order = articles.filter((each) => each.id !== id).toSpliced(position - 1, 0, ...moved);
  for (const [nth, each] of order.entries())
    if (each.position !== nth + 1) await em(db).nativeUpdate(Article, { id: each.id }, { position: nth + 1 });
}
