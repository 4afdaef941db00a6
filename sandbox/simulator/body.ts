// Reads request bodies and checks their fields.
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { refuse } from './refusal.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** Reads a request's raw bytes, which the signature covers. */
export async function readBody(req: IncomingMessage): Promise<Buffer> {
  return getRawBody(req, { limit: MAX_BODY_BYTES }).catch((error: { status?: number; message: string }) =>
    refuse(error.status ?? 400, 'BAD_BODY', error.message),
  );
}

/** Parses a JSON body by the schema. An empty body counts as `{}`. @throws Refusal 400 with the faults */
export function parseBody<T extends z.ZodType>(schema: T, body: Buffer): z.output<T> {
  let value: unknown = {};
  try {
    if (body.length > 0) value = JSON.parse(body.toString('utf8'));
  } catch {
    refuse(400, 'BAD_BODY', 'The body is not JSON.');
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : refuse(400, 'BAD_REQUEST', z.prettifyError(parsed.error));
}
