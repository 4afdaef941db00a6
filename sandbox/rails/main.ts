// node sandbox/rails/main.ts <connector>: starts the connector's fake on a local port and prints how to use the fake.
import { parseArgs } from 'node:util';
import { systemClock } from '../../server/clock.ts';
import { localUrlOf, readConfig } from '../../server/config.ts';
import { FAKE_NAMES, FAKES } from './fakes.ts';
import { explainFake } from './explain.ts';

try {
  const options = { port: { type: 'string' }, notify: { type: 'string' }, gateway: { type: 'string' } } as const;
  const { positionals, values } = parseArgs({ allowPositionals: true, options });
  const name = FAKE_NAMES.find((each) => each === positionals[0]);
  if (!name)
    throw new Error(`There are ${FAKE_NAMES.join(', ')}. --port <port>, --notify <notificationUrl>, --gateway <url>`);
  const port = Number(values.port ?? FAKES[name].port);
  const started = await FAKES[name].start(systemClock, port);
  if (values.notify !== undefined && !started.notifyTo)
    throw new Error(`--notify: ${name} has the address in each order, or sends no notifications`);
  if (values.notify !== undefined) started.notifyTo?.(values.notify);
  console.log(explainFake(name, started, values.gateway ?? gatewayUrl()));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => void started.fake.stop().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** The URL of a gateway with the same environment as this program. */
function gatewayUrl(): string {
  const config = readConfig();
  return config.PUBLIC_URL ?? localUrlOf(config, config.PORT);
}
