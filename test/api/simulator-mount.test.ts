// Which rails the sandbox simulates: those that no address names elsewhere.
import { expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { callRail } from '../support/references.ts';

// Nobody listens there, and nobody is asked.
const ELSEWHERE = 'http://127.0.0.1:9';
const GPO = { GPO_URL: ELSEWHERE, GPO_KEY: 'a key that nobody uses' };
const PPR = { PPR_URL: ELSEWHERE, PPR_KEY: 'a key that nobody uses' };

test.each([
  ['both', {}, { gpo: true, ppr: true, books: true }],
  ['payment references only', GPO, { gpo: false, ppr: true, books: true }],
  ['GPO only', PPR, { gpo: true, ppr: false, books: true }],
  ['none', { ...GPO, ...PPR }, { gpo: false, ppr: false, books: false }],
])('%s', async (_which, env, expected) => {
  const app = await startTestApp({ env });
  const url = `${app.url}/sandbox/rail`;
  const codeOf = async (path: string, body?: object) => (await callRail(url, path, body)).body?.code;
  try {
    const [phones, books] = await Promise.all([fetch(`${url}/phones`), fetch(`${url}/books`)]);
    const machine = await codeOf('/atm/read', { entity: '00999', reference: '000000000' });
    const seen = { gpo: phones.status === 200, ppr: machine === 'UNKNOWN_REFERENCE', books: books.status === 200 };
    expect(seen).toEqual(expected);
    // Signed calls reach the rail that is here, and only that.
    expect((await codeOf('/v1/payments')) === 'BAD_SIGNATURE').toBe(expected.ppr);
    expect((await codeOf('/v1/terminals/x')) === 'BAD_SIGNATURE').toBe(expected.gpo);
  } finally {
    await app.stop();
  }
});
