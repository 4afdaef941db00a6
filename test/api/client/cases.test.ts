// Runs the contract cases with each client whose driver and program are there.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { CLIENTS, startDriver, type Client, type Driver } from '../../support/clients/clients.ts';
import { NOTIFY_ENV } from '../../support/notify.ts';
import { startProxy, type Proxy } from '../../support/proxy.ts';
import { stopLater } from '../../support/stop-later.ts';
import { CASES, optionsOf, type Case } from './cases.ts';

let app: TestApp;
let proxy: Proxy;
beforeAll(async () => {
  app = await startTestApp({ env: NOTIFY_ENV });
  proxy = stopLater(await startProxy(() => app.url));
});

if (process.env['CI'] === 'true')
  test.each(CLIENTS.filter(({ isOptional }) => !isOptional))(
    'the CI environment has the program of the $name client',
    ({ command: [program], isThere }) => {
      expect(isThere, `${program} is missing`).toBe(true);
    },
  );

for (const client of CLIENTS)
  describe.skipIf(!client.isThere)(`the ${client.name} client`, () => {
    let driver: Driver;
    beforeAll(() => void (driver = startDriver(client)));
    beforeEach(() => newClient(driver));
    afterEach(() => proxy.spoil(null));

    const isFor = ({ isFinishing, isBrief, isTransport }: Case) => {
      if (client.isTransport) return isTransport;
      return client.isOptional ? isBrief : client.finishes || !isFinishing;
    };
    for (const { title, run } of CASES.filter(isFor))
      test(title, () => run({ app, proxy, driver, startAnother: () => startAnother(client) }));
  });

async function newClient(driver: Driver): Promise<void> {
  const { result } = await driver.ask({ do: 'new', ...optionsOf(proxy.url) });
  expect(result).toBe(true);
}

async function startAnother(client: Client): Promise<Driver> {
  const driver = startDriver(client);
  await newClient(driver);
  return driver;
}
