// Writes the published OpenAPI document: the declared routes, the descriptions of their tags, and examples.
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { describeApi } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { addExamples, type Described } from './examples.ts';
import { shareRepeats } from './share.ts';
import { listTags } from './tags.ts';

/** Returns the published OpenAPI document. @param webhooks the calls to merchants' servers, by name */
export const writeDocument = (...given: Parameters<typeof describeDocument>): object =>
  shareRepeats(describeDocument(...given));

/** Returns the OpenAPI document with all parameters and responses in each operation, as the pages at /docs need it. */
export function describeDocument(
  routes: Route[],
  publicUrl: string,
  webhooks: Record<string, ZodOpenApiPathItemObject>,
): Described & { tags: object[] } {
  const document = describeApi(routes, publicUrl, webhooks) as Described;
  addExamples(document, routes, publicUrl);
  return { ...document, tags: listTags() };
}
