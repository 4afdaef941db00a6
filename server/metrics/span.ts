// Spans of traces. Without a collector they do nothing, and OpenTelemetry is not loaded. A span holds no secret, phone,
// token or path of a caller.
import type { Config } from '../config.ts';

type Values = Record<string, string | number | boolean | undefined>;

export type SpanAsked = {
  name: string;
  /** Default: inside of this process. */
  kind?: 'server' | 'client';
  values?: Values;
  /** The `traceparent` of who asked us (W3C Trace Context); otherwise the span under way is its parent. */
  parent?: string;
};

export type Tracing = {
  run<T>(asked: SpanAsked, work: () => Promise<T>): Promise<T>;
  isInside(): boolean;
  note(values: Values, name?: string): void;
  traceId(): string | undefined;
  traceparent(): string | undefined;
  carry(): Carry;
  stop(): Promise<void>;
};

let tracing: Tracing | null = null;

/** Does the work inside of a span, which begins a trace where none is under way. */
export function inSpan<T>(asked: SpanAsked, work: () => Promise<T>): Promise<T> {
  return tracing ? tracing.run(asked, work) : work();
}

/** The same as a part of a trace only: what happens each second for nobody begins none. */
export function inInnerSpan<T>(asked: () => SpanAsked, work: () => Promise<T>): Promise<T> {
  return tracing?.isInside() ? tracing.run(asked(), work) : work();
}

/** Adds to the span under way, or names it better. */
export function noteInSpan(values: Values, name?: string): void {
  tracing?.note(values, name);
}

/** Of the trace under way, for the log. */
export function currentTraceId(): string | undefined {
  return tracing?.traceId();
}

/** For whom we ask next: `traceparent` of the span under way. */
export function traceHeaders(): Record<string, string> {
  const traceparent = tracing?.traceparent();
  return traceparent ? { traceparent } : {};
}

type Carry = <T>(work: () => T) => T;

const asItIs: Carry = (work) => work();

/** Takes the span under way along to where somebody else goes on: what is done by the answer belongs to it. */
export function carryTrace(): Carry {
  return tracing ? tracing.carry() : asItIs;
}

/** Sends the spans of this process to the collector that the settings name, if they do; returns the way to end that. */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return async () => {};
  const own = (await import('./otlp.ts')).openTracing(config, config.OTEL_EXPORTER_OTLP_ENDPOINT);
  tracing = own;
  return async () => {
    if (tracing === own) tracing = null;
    await own.stop();
  };
}
