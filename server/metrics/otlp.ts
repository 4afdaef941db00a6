// Sends spans to an OpenTelemetry collector in batches, by OTLP over HTTP.
// Only span.ts loads this file, and only if the settings name a collector.
// The current span is kept in a separate store, because several nodes in one process would share the SDK's global one.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { VERSION, type Config } from '../config.ts';
import type { SpanOptions, Tracing } from './span.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** The longest wait for the collector when the node stops, in milliseconds. */
const LAST_FLUSH_MS = 3_000;

export function openTracing(config: Config, endpoint: string): Tracing {
  const provider = openProvider(config, endpoint);
  const tracer = provider.getTracer('balcao', VERSION);
  const current = new AsyncLocalStorage<Span>();
  const begin = ({ name, kind, values = {}, parent }: SpanOptions): Span => {
    const options = { attributes: values, kind: kind ? KINDS[kind] : SpanKind.INTERNAL };
    return tracer.startSpan(name, options, contextOf(parent, current.getStore()));
  };
  return {
    async run(options, work) {
      const span = begin(options);
      try {
        return await current.run(span, work);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', typeOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    isInside: () => current.getStore() !== undefined,
    note(values, name) {
      const span = current.getStore();
      if (name) span?.updateName(name);
      for (const [key, value] of Object.entries(values)) if (value !== undefined) span?.setAttribute(key, value);
    },
    traceId: () => current.getStore()?.spanContext().traceId,
    traceparent() {
      const at = current.getStore()?.spanContext();
      return at && `00-${at.traceId}-${at.spanId}-${at.traceFlags.toString(16).padStart(2, '0')}`;
    },
    carry() {
      const span = current.getStore();
      return span ? (work) => current.run(span, work) : (work) => current.exit(work);
    },
    async stop() {
      const flushed = provider.shutdown().catch(() => {});
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([flushed, new Promise((resolve) => (timer = setTimeout(resolve, LAST_FLUSH_MS)))]);
      clearTimeout(timer);
    },
  };
}

function openProvider(config: Config, endpoint: string): TracerProvider {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: readHeaders(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: 5_000,
  });
  return new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.OTEL_SERVICE_NAME,
      'service.version': VERSION,
      'service.instance.id': config.NODE_NAME,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 250 })],
  });
}

/** Reads headers in the form `key=value,…` with percent-encoded values (OTEL_EXPORTER_OTLP_HEADERS). */
function readHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

/**
 * Matches a `traceparent` of W3C Trace Context, version 00. Later versions begin with the same fields.
 * The OpenTelemetry SDK ignores ids that consist of zeros.
 */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/;

function contextOf(traceparent: string | undefined, under: Span | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId && spanId && flags) {
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
    return trace.setSpanContext(ROOT_CONTEXT, remote);
  }
  return under ? trace.setSpan(ROOT_CONTEXT, under) : ROOT_CONTEXT;
}

/** Returns the code or class of an error. Its message is left out, because drivers put row values into messages. */
function typeOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: unknown };
  return typeof code === 'string' ? code : (name ?? 'Error');
}
