// Each log line names its node and contains no secret.
import { PassThrough } from 'node:stream';
import { pino, type Logger } from 'pino';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../server/config.ts';
import { logOptions } from '../../../server/http/log.ts';

/** The lines that `write` adds to a node’s log. */
function readLines(write: (log: Logger) => void, env: Record<string, string> = {}): any[] {
  const sink = new PassThrough();
  write(pino(logOptions(readConfig(env)), sink));
  return String(sink.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a line of the log', () => {
  test('contains the name of the node and the id of the process', () => {
    const [line] = readLines((log) => log.info('hello'), { NODE_NAME: 'till-2' });
    expect(line).toMatchObject({ node: 'till-2', pid: process.pid, msg: 'hello' });
    expect(line).not.toHaveProperty('traceId');
  });

  test('contains the name of the machine if the node has no name', () => {
    const [line] = readLines((log) => log.info('hello'));
    expect(line.node).toMatch(/\S/);
  });

  test('contains the name of the node also if a child logger writes it', () => {
    const [line] = readLines((log) => log.child({}, { redact: [] }).info({ requestId: 'r-1' }), {
      NODE_NAME: 'till-2',
    });
    expect(line).toMatchObject({ node: 'till-2', requestId: 'r-1' });
  });

  test('masks secrets, and phone numbers in errors', () => {
    const error = new Error('duplicate key (244923456789)');
    const [line] = readLines((log) =>
      log.error({ err: error, phone: '923456789', about: { accessKey: 'hush' } }, 'no'),
    );
    expect(line).toMatchObject({ phone: '…', about: { accessKey: '…' } });
    expect(line.err.message).toBe('duplicate key (…789)');
  });
});
