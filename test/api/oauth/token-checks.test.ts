// Database reads of a token's check when the cached entry of its holder is thirty seconds old.
import { expect, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { listTexts } from '../../support/statements.ts';

test('requests at the same moment share one read of their holder and one of revoked tokens', async () => {
  const app = await startTestApp();
  const token = await app.token();
  const call = () => app.call('/api/payments?pageSize=1', { token });
  await call();
  app.clock.leap(31_000);
  const { texts } = await listTexts(() => Promise.all(Array.from({ length: 8 }, call)));
  // The node's first cleaning may delete from the same tables meanwhile.
  expect(texts.filter((text) => /^select .*from "revoked_tokens"/.test(text))).toHaveLength(1);
  expect(texts.filter((text) => /^select .*from "clients"/.test(text))).toHaveLength(1);
});
