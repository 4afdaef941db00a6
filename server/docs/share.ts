// Shares parameters and responses that several operations of the OpenAPI document have, to halve its size.
type Json = Record<string, any>;
type Operation = { parameters?: Json[]; responses: Record<string, Json> };
type Shared = { kind: 'parameters' | 'responses'; uses: number; name: string; value: Json };

/** Returns the document with `$ref` for each parameter and response that several operations have. */
export function shareRepeats<T extends { paths: object; webhooks?: object; components: object }>(document: T): T {
  const copy: Json = JSON.parse(JSON.stringify(document)) as Json;
  const paths = [...Object.values<Json>(copy['paths']), ...Object.values<Json>(copy['webhooks'] ?? {})];
  const operations = paths.flatMap((methods) => Object.values<Operation>(methods));
  const shared = new Map<string, Shared>();
  for (const operation of operations) {
    for (const each of operation.parameters ?? []) count('parameters', each, each['name']);
    for (const [status, each] of Object.entries(operation.responses)) count('responses', each, status);
  }
  const repeated = [...shared.values()].filter(({ uses }) => uses > 1);
  for (const group of Map.groupBy(repeated, ({ kind, name }) => `${kind} ${name}`).values())
    for (const [nth, each] of group.entries()) if (nth > 0) each.name += `-${nth + 1}`;
  for (const operation of operations) {
    if (operation.parameters) operation.parameters = operation.parameters.map((each) => refer('parameters', each));
    const responses = Object.entries(operation.responses).map(([status, each]) => [status, refer('responses', each)]);
    operation.responses = Object.fromEntries(responses) as Operation['responses'];
  }
  const listAll = (kind: Shared['kind']) =>
    Object.fromEntries(repeated.filter((each) => each.kind === kind).map(({ name, value }) => [name, value]));
  copy['components'] = { ...copy['components'], parameters: listAll('parameters'), responses: listAll('responses') };
  return copy as T;

  function count(kind: Shared['kind'], value: Json, name: string): void {
    const key = `${kind} ${JSON.stringify(value)}`;
    const known = shared.get(key) ?? { kind, uses: 0, name, value };
    shared.set(key, { ...known, uses: known.uses + 1 });
  }

  function refer(kind: Shared['kind'], value: Json): Json {
    const { uses, name } = shared.get(`${kind} ${JSON.stringify(value)}`)!;
    return uses > 1 ? { $ref: `#/components/${kind}/${name}` } : value;
  }
}
