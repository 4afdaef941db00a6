// Request and response schemas of articles.
import { z } from 'zod';
import { toMajor } from '../../shared/money.ts';
import { decimal, requiredInteger, singleLine } from '../http/fields.ts';
import { numberText } from '../http/json.ts';
import type { Fault } from '../http/problem.ts';
import { checkAmount, currency } from '../payments/core/fields.ts';
import type { Article } from './entities.ts';

/** The most articles of a merchant. The till shows all active ones on one screen. */
export const MAX_ARTICLES = 200;

const name = singleLine(60)
  .transform((text) => text.normalize('NFC').replace(/\s+/g, ' '))
  .describe('Unique among the active articles; part of the description of a charge');
const price = decimal.describe('The price of one, in major units');
const position = requiredInteger(1, MAX_ARTICLES)
  .optional()
  .describe('The place in the list, from 1; the other articles move. Default of a new article: the end');
const isActive = z.boolean().optional().describe('false: the till does not show the article');

/** Body of `POST /api/articles`. */
export const articleRequest = z.object({ name, price, currency, position, isActive });

/** Body of `PUT /api/articles/{articleId}`. Absent fields stay. */
export const articleChange = z.object({
  name: name.optional(),
  price: price.optional(),
  position,
  isActive,
});

export type ArticleChange = z.output<typeof articleChange>;

/** Returns the faults of a price in its currency. */
export const findPriceFaults = (digits: string | null, code: unknown): Fault[] =>
  checkAmount(digits, code).map((fault) => ({ ...fault, pointer: '/price' }));

/** Returns the faults of a new article's price. */
export function checkPrice(input: unknown): Fault[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const { price: typed, currency: code } = input as Record<string, unknown>;
  return findPriceFaults(numberText(typed), code);
}

/** Query of `GET /api/articles`. */
export const articleQuery = z.object({
  isActive: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only active, or only hidden articles'),
});

/** Path parameter of one article. */
export const byArticle = z.object({ articleId: z.uuid().describe('`id` of an article in the list') });

export function viewArticle({ id, name: title, priceMinor, currency: code, ...article }: Article) {
  const { position: place, isActive: isShown, createdAt, updatedAt } = article;
  const amount = toMajor(priceMinor, code);
  return { id, name: title, price: amount, currency: code, position: place, isActive: isShown, createdAt, updatedAt };
}

export const articleAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    price: z.number(),
    currency: z.string(),
    position: z.int(),
    isActive: z.boolean(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Article' });
