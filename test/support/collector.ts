// A collector of traces (OTLP over HTTP, JSON) that keeps every span.
import { startReceiver } from './receiver.ts';
import { until } from './app.ts';

export type CollectedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  values: Record<string, unknown>;
  resource: Record<string, unknown>;
};

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type Attributes = { key: string; value: Value }[];
type Batch = {
  resource: { attributes: Attributes };
  scopeSpans: { spans: (CollectedSpan & { attributes: Attributes })[] }[];
};

/** `env` makes a node export its spans to the collector. */
export async function startCollector() {
  const receiver = await startReceiver({ answer: { status: 200, body: {} } });
  const spans = (): CollectedSpan[] =>
    receiver.requests.flatMap(({ json }) =>
      (json.resourceSpans as Batch[]).flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap((scope) =>
          scope.spans.map(({ attributes, ...span }) => {
            return { ...span, values: readValues(attributes), resource: readValues(resource.attributes) };
          }),
        ),
      ),
    );
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    requests: receiver.requests,
    spans,
    /** Resolves with the spans of a trace once it has one of each name. */
    untilTraced: (traceId: string, names: string[]) =>
      until(
        () => {
          const found = spans().filter((span) => span.traceId === traceId);
          return names.every((name) => found.some((span) => span.name === name)) ? found : null;
        },
        `spans ${names.join(', ')} of ${traceId}`,
      ),
  };
}

function readValues(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue,
    ]),
  );
}
