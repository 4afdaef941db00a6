// The operations of the interface document, found by a call.

type Method = { operationId: string; responses: Record<string, any> };
type Document = { paths: Record<string, Record<string, Method>>; components: Record<string, any> };

export type Operations = {
  document: Document;
  /** `GET /api/payments/{paymentId}` of each. */
  names: string[];
  /** The operation of a call and its name; pages outside of the document are named by their path. */
  find(method: string, path: string): { name: string; operation?: Method };
};

export function readOperations(document: Document): Operations {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
      pattern: new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`, 'i'),
    })),
  );
  // A path with fewer parameters comes first: `/api/callbacks/test` is no delivery.
  const sorted = all.toSorted((a, b) => a.name.split('{').length - b.name.split('{').length);
  return {
    document,
    names: all.map(({ name }) => name),
    find(method, path) {
      const bare = path.replace(/\?.*/s, '');
      const name = `${method} ${bare.replaceAll(/<[\w ]+>|x{43}/g, '{}')}`;
      return sorted.find(({ pattern }) => pattern.test(`${method} ${bare}`)) ?? { name };
    },
  };
}
