// `node sandbox/simulator/main.ts` serves only the simulated rails, on SIMULATOR_PORT under /rail.
// A gateway reaches the simulated rails over the network.
import { join } from 'node:path';
import { systemClock } from '../../server/clock.ts';
import { readConfig } from '../../server/config.ts';
import { startEmbedded } from '../../server/database/embedded/start.ts';
import { startSimulator } from './start.ts';

try {
  const config = readConfig();
  if (!config.isSandbox) throw new Error('BALCAO_ENV: the simulator runs in the sandbox only');
  const { GPO_KEY, PPR_KEY, SMS_KEY } = config;
  if (!GPO_KEY && !PPR_KEY && !SMS_KEY)
    throw new Error('GPO_KEY, PPR_KEY, SMS_KEY: set the same keys here and at the gateway');
  const notifyUrl = config.NOTIFY_URL ?? `http://127.0.0.1:${config.PORT}/rails/gpo/notifications`;
  const pprNotifyUrl = notifyUrl.replace('/rails/gpo/', '/rails/ppr/');
  const smsNotifyUrl = notifyUrl.replace('/rails/gpo/', '/rails/sms/');
  const database = config.DATABASE_URL
    ? { url: config.DATABASE_URL, stop: async () => {} }
    : await startEmbedded({ dataDir: join(config.DATA_DIR, 'simulator') });
  const simulator = await startSimulator({
    databaseUrl: database.url,
    clock: systemClock,
    key: GPO_KEY,
    notifyUrl: () => notifyUrl,
    pprKey: PPR_KEY,
    pprNotifyUrl: () => pprNotifyUrl,
    smsKey: SMS_KEY,
    smsNotifyUrl: () => smsNotifyUrl,
    gpoWindowMs: config.GPO_PUSH_WINDOW_S * 1000,
    // The simulator listens only on loopback, because the routes for payers and testers are unsigned.
    host: '127.0.0.1',
    port: config.SIMULATOR_PORT,
  });
  const served = [
    GPO_KEY && ['GPO', notifyUrl],
    PPR_KEY && ['PPR', pprNotifyUrl],
    SMS_KEY && ['SMS', smsNotifyUrl],
  ].filter((entry) => !!entry);
  const lines = served.map(
    ([rail, url]) => `  Gateway: ${rail}_URL=${simulator.url} with the same ${rail}_KEY; notified at ${url}\n`,
  );
  console.log(`\n  The simulated rails answer at ${simulator.url}\n${lines.join('')}`);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(
      signal,
      () =>
        void simulator
          .stop()
          .then(database.stop)
          .then(() => process.exit(0)),
    );
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
