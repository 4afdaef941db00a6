// Writes the published OpenAPI document: the declared routes, the descriptions of their tags, and examples.
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { describeApi } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { addExamples, type Described } from './examples.ts';
import { listTags } from './tags.ts';

/** Returns the whole OpenAPI document. @param webhooks the calls to merchants' servers, by name */
export function writeDocument(
  routes: Route[],
  publicUrl: string,
  webhooks: Record<string, ZodOpenApiPathItemObject>,
): object {
  const document = describeApi(routes, publicUrl, webhooks) as Described;
  addExamples(document, routes, publicUrl);
  return { ...document, tags: listTags() };
}
