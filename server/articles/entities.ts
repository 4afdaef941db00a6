// The table of articles: a merchant's list of things with a price, which the till adds up to an amount.
import { defineEntity, p } from '@mikro-orm/core';

export const ArticleSchema = defineEntity({
  name: 'Article',
  tableName: 'articles',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    name: p.text(),
    priceMinor: p.bigint('number'),
    currency: p.text(),
    /** The place in the merchant's list, from 1 and without gaps. */
    position: p.integer(),
    /** `isActive`: false for an article that the till does not show. */
    isActive: p.boolean().default(true),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'articles_list', properties: ['merchantId', 'position', 'id'] }],
  uniques: [{ name: 'articles_name', properties: ['merchantId', 'name'], where: 'is_active' }],
  checks: [{ name: 'articles_price', expression: 'price_minor > 0' }],
});

export class Article extends ArticleSchema.class {}
ArticleSchema.setClass(Article);

declare module '../database/db.ts' {
  interface Tables extends TablesOf<typeof ArticleSchema> {}
}
