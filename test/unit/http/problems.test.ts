// The tables of problem codes and of fault messages are complete, and the code uses every entry.
import { Visitor, type ESTree } from 'vite';
import { describe, expect, test } from 'vitest';
import { isProblemCode, PROBLEMS } from '../../../shared/errors.ts';
import { MESSAGES, messageOf, type FaultCode } from '../../../shared/messages.ts';
import { catchProblems, Problem } from '../../../server/http/problem.ts';
import { listFiles, readSource } from '../../support/source.ts';
import { makeContext } from '../../support/context.ts';

const problems = Object.entries(PROBLEMS).map(([code, entry]) => ({ code, ...entry }));
const messages = Object.entries(MESSAGES).map(([code, entry]) => ({ code: code as FaultCode, ...entry }));

/** Finds the codes in the server's files: of thrown problems, and of faults (`code: '…'`). */
const written = { problems: new Set<string>(), faults: new Set<string>() };
for (const path of listFiles('{server,sandbox}/**/*.ts')) {
  const addTo = (set: Set<string>) => (node: ESTree.Node | null | undefined) => {
    new Visitor({ Literal: (found) => typeof found.value === 'string' && set.add(found.value) }).visit({
      type: 'Program',
      body: [{ type: 'ExpressionStatement', expression: node }],
    } as ESTree.Program);
  };
  new Visitor({
    NewExpression(node) {
      if ((node.callee as ESTree.IdentifierName).name === 'Problem') addTo(written.problems)(node.arguments[0]);
    },
    CallExpression(node) {
      const { name } = node.callee as ESTree.IdentifierName;
      if (name === 'fault') addTo(written.faults)(node.arguments[0]);
      if (name === 'tryLater') addTo(written.problems)(node.arguments[0]);
    },
    Property(node) {
      if ((node.key as ESTree.IdentifierName).name === 'code') addTo(written.faults)(node.value);
    },
  }).visit(readSource(path).program);
}

describe('a problem', () => {
  test.each(problems)('has a status, a title and a sentence of advice: $code', ({ code, status, title, detail }) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect([400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 503]).toContain(status);
    expect(title).toMatch(/^[A-Zc]\S.*[^.]$/);
    expect(detail).toMatch(/^[A-Za-z].+\.$/);
  });

  test('is in the table if the server can throw it', () => {
    expect(written.problems.size).toBeGreaterThan(15);
    expect([...written.problems].filter((code) => !isProblemCode(code))).toEqual([]);
  });

  test('is thrown by the server if it is in the table', () => {
    const thrown = (code: string) => written.problems.has(code) || (code in MESSAGES && written.faults.has(code));
    // checkAmount of shared/money.ts and the verdict of replacement.ts return these codes to the place that throws them.
    const returned = ['amount_precision', 'amount_out_of_range', 'payment_not_replaceable'];
    expect(problems.map(({ code }) => code).filter((code) => !thrown(code) && !returned.includes(code))).toEqual([]);
  });

  test.each(['', 'constructor', '__proto__', 'toString', 'not_a_code'])('cannot have the code %j', (code) => {
    expect(isProblemCode(code)).toBe(false);
  });
});

describe('the message of a fault', () => {
  const gapsOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

  test.each(messages)('is in English and in Portuguese with the same placeholders: $code', ({ en, pt }) => {
    expect(en).toMatch(/^\S.{5,}[^. ]$/);
    expect(pt).toMatch(/^\S.{5,}[^. ]$/);
    expect(pt).not.toBe(en);
    expect(gapsOf(pt)).toEqual(gapsOf(en));
  });

  test('is used by the server', () => {
    // faultsOf derives these codes from zod's issues, or shared/money.ts returns them.
    const byZod = [
      'required',
      'invalid_type',
      'invalid_value',
      'invalid_format',
      'too_short',
      'too_long',
      'too_small',
      'too_big',
    ];
    const used = new Set([...written.faults, ...byZod, 'amount_precision', 'amount_out_of_range']);
    expect(messages.map(({ code }) => code).filter((code) => !used.has(code))).toEqual([]);
  });

  test('has its placeholders replaced by values of the fault only', () => {
    expect(messageOf('too_long', 'en', { maximum: 15 })).toBe('must have at most 15 characters');
    expect(messageOf('too_long', 'pt', { maximum: 15 })).toBe('deve ter no máximo 15 caracteres');
    expect(messageOf('invalid_value', 'en', { values: '{values} $& $1' })).toBe('must be one of: {values} $& $1');
    expect(messageOf('too_big', 'en', { maximum: 5, isList: true })).toBe('must have at most 5 entries');
    expect(messageOf('too_long', 'en')).not.toContain('{');
    expect(messageOf('too_long', 'en')).not.toContain('undefined');
  });
});

describe('the response for a thrown error', () => {
  async function answerOf(error: unknown, headers: Record<string, string> = {}) {
    const ctx = makeContext({ method: 'POST', headers });
    ctx.state['requestId'] = 'req-1';
    const reported: unknown[] = [];
    const answer = catchProblems(
      () => 'https://pay.example',
      (seen) => reported.push(seen),
    );
    await answer(ctx, () => Promise.reject(error));
    return {
      status: ctx.status,
      type: ctx.type,
      headers: ctx.response.headers,
      body: JSON.parse(ctx.body as string),
      reported,
    };
  }

  test('shows all fields of a problem', async () => {
    const error = new Problem('validation_failed', {
      faults: [{ pointer: '/a~1b', code: 'too_long', params: { maximum: 15 } }],
      headers: { 'Retry-After': '3' },
      extra: { internalId: 'x' },
    });
    const answer = await answerOf(error);
    expect(answer).toMatchObject({ status: 400, type: 'application/problem+json', reported: [] });
    expect(answer.headers['retry-after']).toBe('3');
    expect(answer.body).toEqual({
      type: 'https://pay.example/problems/validation_failed',
      title: PROBLEMS.validation_failed.title,
      status: 400,
      detail: PROBLEMS.validation_failed.detail,
      instance: 'urn:request:req-1',
      code: 'validation_failed',
      internalId: 'x',
      errors: [{ pointer: '/a~1b', code: 'too_long', message: 'must have at most 15 characters' }],
    });
  });

  test.each([
    ['pt', 'pt'],
    ['pt-AO,pt;q=0.9', 'pt'],
    ['en', 'en'],
    ['fr', 'en'],
    ['fr, pt;q=0.5, en;q=0.1', 'pt'],
    ['*', 'en'],
  ])('is for Accept-Language %s in the language %s', async (accepted, lang) => {
    const error = new Problem('validation_failed', { faults: [{ pointer: '/a', code: 'required' }] });
    const { body, headers } = await answerOf(error, { 'Accept-Language': accepted });
    expect(body.errors[0].message).toBe(MESSAGES.required[lang as 'pt' | 'en']);
    expect(headers['content-language']).toBe(lang);
  });

  const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });

  test.each<[string, unknown]>([
    ['refused connections', withCode('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED')],
    ['a lost connection', new Error('Connection terminated unexpectedly')],
    ['a server that shuts down', withCode('terminating connection due to administrator command', '57P01')],
    ['too many connections', withCode('sorry, too many clients already', '53300')],
    ['such an error inside another', new Error('query failed', { cause: withCode('x', '08006') })],
    ['such an error among several', new AggregateError([withCode('x', 'ECONNREFUSED')], 'all attempts failed')],
  ])('is 503 with Retry-After if the database is unavailable: %s', async (_what, error) => {
    const { status, body, headers, reported } = await answerOf(error);
    expect([status, body.code]).toEqual([503, 'service_unavailable']);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(reported).toEqual([error]);
  });

  test.each<[string, unknown]>([
    ['an error', new Error('password=hunter2 at /srv/balcao/x.ts:12')],
    ['a broken constraint', withCode('duplicate key value violates unique constraint', '23505')],
    ['a text', 'hunter2'],
    ['nothing', undefined],
  ])('is 500 without internal details for %s', async (_what, error) => {
    const { status, body, reported } = await answerOf(error);
    expect([status, body.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|srv|constraint|stack/);
    expect(reported).toEqual([error]);
  });
});
