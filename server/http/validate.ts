// zod's findings as our faults: a JSON pointer, a stable code, and what the message needs.
import type { z } from 'zod';
import type { FaultCode } from '../../shared/messages.ts';
import { MESSAGES } from '../../shared/messages.ts';
import type { Fault } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** Every fault of a failed parse, each once. `input` tells a missing field from a wrong one. */
export function faultsOf(error: z.ZodError, input: unknown): Fault[] {
  return error.issues.map((issue) => ({ pointer: pointerOf(issue.path), ...describe(issue, input) }));
}

/** Marks a custom check with one of our codes: `z.refine(check, fault('invalid_phone'))`. */
export function fault(code: FaultCode, params: Record<string, unknown> = {}): { params: Record<string, unknown> } {
  return { params: { code, ...params } };
}

/** RFC 6901. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function describe(issue: Issue, input: unknown): { code: FaultCode; params?: Record<string, unknown> } {
  switch (issue.code) {
    case 'custom': {
      const { code, ...params } = (issue.params ?? {}) as { code?: string };
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      if (code && Object.hasOwn(MESSAGES, code)) return { code: code as FaultCode, params };
      return { code: 'invalid_format' };
    }
    case 'invalid_type':
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      return { code: 'invalid_type', params: { expected: issue.expected } };
    case 'invalid_value':
      if (valueAt(input, issue.path) === undefined) return { code: 'required' };
      return { code: 'invalid_value', params: { values: issue.values.join(', ') } };
    case 'too_small':
      return {
        code: issue.origin === 'string' ? 'too_short' : 'too_small',
        params: { minimum: issue.minimum, isList: issue.origin === 'array' },
      };
    case 'too_big':
      return {
        code: issue.origin === 'string' ? 'too_long' : 'too_big',
        params: { maximum: issue.maximum, isList: issue.origin === 'array' },
      };
    default:
      return { code: 'invalid_format' };
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input);
}
