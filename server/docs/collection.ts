// Converts the OpenAPI document to a collection for Postman and Bruno.
// The collection has a folder for each tag, a request for each operation, and one token for all requests.
import type { ApiDocument } from './describe.ts';

type Operation = ApiDocument['paths'][string][string];
type Item = Record<string, unknown>;

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** The credentials of an API client. In a sandbox, the demo merchant's credentials. */
export type CollectionClient = { id: string; secret: string };

/** Writes a collection in Postman's format 2.1. The reader's own ids and secrets are variables in braces. */
export function writeCollection(document: ApiDocument, client: CollectionClient): object {
  const folders = new Map<string, Item[]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = operation.tags[0] ?? '';
      folders.set(name, [...(folders.get(name) ?? []), describeRequest(path, method.toUpperCase(), operation)]);
    }
  const variable = {
    baseUrl: document.servers[0]?.url ?? '',
    clientId: client.id,
    clientSecret: client.secret,
  };
  return {
    info: { name: `Balcão ${document.info.version}`, description: document.info.description, schema: SCHEMA },
    variable: listValues(variable),
    auth: {
      type: 'oauth2',
      oauth2: listValues({
        grant_type: 'client_credentials',
        accessTokenUrl: '{{baseUrl}}/oauth/token',
        clientId: '{{clientId}}',
        clientSecret: '{{clientSecret}}',
        client_authentication: 'header',
        addTokenTo: 'header',
      }),
    },
    item: [...folders].map(([name, item]) => ({ name, item })),
  };
}

const listValues = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' }));

function describeRequest(path: string, method: string, operation: Operation): Item {
  const { summary, description, security, parameters = [], requestBody } = operation;
  const named = (where: string) => parameters.filter((each) => each.in === where);
  const query = named('query').map(({ name, required, description: about }) => {
    return { key: name, value: '', description: about ?? '', disabled: !required };
  });
  const required = query.filter(({ disabled }) => !disabled).map(({ key }) => `${key}=`);
  const written = path.replace(/\{(\w+)\}/g, ':$1');
  const isKeyed = named('header').some(({ name }) => name === 'Idempotency-Key');
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  return {
    name: summary,
    request: {
      method,
      description,
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header: [
        ...(isKeyed ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
        ...(type ? [{ key: 'Content-Type', value: type }] : []),
      ],
      url: {
        raw: `{{baseUrl}}${written}${required.length > 0 ? `?${required.join('&')}` : ''}`,
        host: ['{{baseUrl}}'],
        path: written.slice(1).split('/'),
        ...(query.length > 0 && { query }),
        variable: named('path').map(({ name, description: about }) => {
          return { key: name, value: '', description: about ?? '' };
        }),
      },
      ...(content && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(content.example ?? {}, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
}
