// Pages of a list: the one envelope of decisions §1.
import { z } from 'zod';

type PageQuery = { page: number; pageSize: number };

/** The query's page as limit and offset. */
export function pageOf({ page, pageSize }: PageQuery): { limit: number; offset: number } {
  return { limit: pageSize, offset: (page - 1) * pageSize };
}

/** `data, pageNumber, pageSize, totalPages, totalItems`. */
export function viewPage<T>(data: T[], { page, pageSize }: PageQuery, totalItems: number) {
  return { data, pageNumber: page, pageSize, totalPages: Math.ceil(totalItems / pageSize), totalItems };
}

viewPage.schema = (item: z.ZodType) =>
  z.object({ data: z.array(item), pageNumber: z.int(), pageSize: z.int(), totalPages: z.int(), totalItems: z.int() });
