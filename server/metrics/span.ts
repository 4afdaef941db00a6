// Spans of traces. Without a configured collector, these functions do nothing, and OpenTelemetry is not loaded.
// A span contains no secret, phone number, token or request path.
import type { Config } from '../config.ts';

type Values = Record<string, string | number | boolean | undefined>;

export type SpanOptions = {
  name: string;
  /** The kind of span. `server`: a received request; `client`: an outgoing call. Default: work within this process. */
  kind?: 'server' | 'client';
  values?: Values;
  /** The caller's `traceparent` (W3C Trace Context). Default: the current span is the parent. */
  parent?: string;
};

export type Tracing = {
  run<T>(options: SpanOptions, work: () => Promise<T>): Promise<T>;
  isInside(): boolean;
  note(values: Values, name?: string): void;
  traceId(): string | undefined;
  traceparent(): string | undefined;
  carry(): Carry;
  stop(): Promise<void>;
};

let tracing: Tracing | null = null;

/** Runs `work` in a span. Without a current span, it begins a trace. */
export function inSpan<T>(options: SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.run(options, work) : work();
}

/** Runs `work` in a span only if a trace exists. Polls that run each second therefore begin no traces. */
export function inChildSpan<T>(options: () => SpanOptions, work: () => Promise<T>): Promise<T> {
  return tracing?.isInside() ? tracing.run(options(), work) : work();
}

/** Adds values to the current span, and renames it if a name is given. */
export function annotateSpan(values: Values, name?: string): void {
  tracing?.note(values, name);
}

/** Returns the id of the current trace, for the log. */
export function currentTraceId(): string | undefined {
  return tracing?.traceId();
}

/** Returns the header `traceparent` of the current span, for an outgoing call. */
export function traceHeaders(): Record<string, string> {
  const traceparent = tracing?.traceparent();
  return traceparent ? { traceparent } : {};
}

type Carry = <T>(work: () => T) => T;

const runDirectly: Carry = (work) => work();

/** Captures the current span. The returned function runs later work, for example a callback, within that span. */
export function captureTrace(): Carry {
  return tracing ? tracing.carry() : runDirectly;
}

/** Starts to send spans to the collector of the settings, if they name one. Returns a function that stops it. */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return async () => {};
  const own = (await import('./otlp.ts')).openTracing(config, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  tracing = own;
  return async () => {
    if (tracing === own) tracing = null;
    await own.stop();
  };
}
