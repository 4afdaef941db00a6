// The interface document as it is published: what the routes declare, what their groups are about, and examples.
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { describeApi } from '../http/openapi.ts';
import type { Route } from '../http/route.ts';
import { addExamples, type Described } from './examples.ts';
import { listTags } from './tags.ts';

/** The whole document. @param webhooks what merchants' servers are called with, by name */
export function writeDocument(
  routes: Route[],
  publicUrl: string,
  webhooks: Record<string, ZodOpenApiPathItemObject>,
): object {
  const document = describeApi(routes, publicUrl, webhooks) as Described;
  addExamples(document, routes, publicUrl);
  return { ...document, tags: listTags() };
}
