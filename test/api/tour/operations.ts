// Finds the operation of the interface document that serves a call.

type Method = { operationId: string; responses: Record<string, any> };
type Document = { paths: Record<string, Record<string, Method>>; components: Record<string, any> };

export type Operations = {
  document: Document;
  /** An operation by its method and path, such as `GET /api/payments/{paymentId}`. */
  names: string[];
  /** Returns the operation of a call and its name. For a page outside of the document, the name is the path. */
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
  // Paths with fewer parameters are tried first, so that `/api/callbacks/test` is not taken for a delivery id.
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
