// The sandbox simulates each rail that has no external URL in the settings.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callRail } from '../../../../test/support/lone-rail.ts';

// No server listens at this address.
const ELSEWHERE = 'http://127.0.0.1:9';
const GPO = { GPO_URL: ELSEWHERE, GPO_KEY: 'a key that nobody uses' };
const PPR = { PPR_URL: ELSEWHERE, PPR_KEY: 'a key that nobody uses' };
const SMS = { SMS_URL: ELSEWHERE, SMS_KEY: 'a key that nobody uses' };

test.each([
  ['payment references only', { ...GPO, ...SMS }, { gpo: false, ppr: true, sms: false, books: true }],
  ['GPO and messages', PPR, { gpo: true, ppr: false, sms: true, books: true }],
  ['no rail', { ...GPO, ...PPR, ...SMS }, { gpo: false, ppr: false, sms: false, books: false }],
])('the sandbox simulates %s', async (_which, env, expected) => {
  const app = await startTestApp({ env });
  const url = `${app.url}/sandbox/rail`;
  const codeOf = async (path: string, body?: object) => (await callRail(url, path, body)).body?.code;
  try {
    const [phones, books] = await Promise.all([fetch(`${url}/phones`), fetch(`${url}/books`)]);
    const machine = await codeOf('/atm/read', { entity: '00999', reference: '000000000' });
    const answered = await codeOf(`/messages/${randomUUID()}/reply`, { text: 'PARAR' });
    expect({
      gpo: phones.status === 200,
      ppr: machine === 'UNKNOWN_REFERENCE',
      sms: answered === 'UNKNOWN_MESSAGE',
      books: books.status === 200,
    }).toEqual(expected);
    // Signed calls reach only the rails that run here.
    expect((await codeOf('/v1/payments')) === 'BAD_SIGNATURE').toBe(expected.ppr);
    expect((await codeOf('/v1/terminals/x')) === 'BAD_SIGNATURE').toBe(expected.gpo);
    expect((await codeOf('/v1/messages/x')) === 'BAD_SIGNATURE').toBe(expected.sms);
  } finally {
    await app.stop();
  }
});
