// node sandbox/rails/main.ts <connector>: serves its fake on a port of this machine and prints how a sandbox uses it.
import { parseArgs } from 'node:util';
import { systemClock } from '../../server/clock.ts';
import { FAKE_NAMES, FAKES, type FakeName } from './fakes.ts';
import { explainFake } from './explain.ts';

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, notify: { type: 'string' } },
  });
  const [name] = positionals;
  if (name === undefined) listFakes();
  else await startForPeople(name, values);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function listFakes(): void {
  const lines = FAKE_NAMES.map(
    (name) => `  node sandbox/rails/main.ts ${name.padEnd(10)} ${FAKES[name].title}, on ${FAKES[name].port}`,
  );
  console.log(
    `\n${lines.join('\n')}\n\n  --port <port>  another port\n  --notify <url>  sends notifications there: the account’s notificationUrl\n`,
  );
}

async function startForPeople(name: string, { port, notify }: { port?: string; notify?: string }): Promise<void> {
  const known = FAKE_NAMES.find((each) => each === name);
  if (!known) throw new Error(`${name}: there are ${FAKE_NAMES.join(', ')}`);
  const started = await start(known, port);
  if (notify !== undefined && !started.notifyTo)
    throw new Error(`--notify: ${known} has the address in each order, or sends no notifications`);
  if (notify !== undefined) started.notifyTo?.(notify);
  console.log(explainFake(known, started));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => void started.fake.stop().then(() => process.exit(0)));
  }
}

async function start(name: FakeName, asked: string | undefined) {
  const port = asked === undefined ? FAKES[name].port : Number(asked);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port: ${asked} is no port`);
  try {
    return await FAKES[name].start(systemClock, port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`port ${port} is taken: name another with --port`);
  }
}
