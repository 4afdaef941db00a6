// npm start: runs one node with the settings of its environment. SIGTERM or Ctrl-C stops it gracefully.
import { readConfig, type Config } from './config.ts';
import { explainStart } from './explain.ts';
import { startNode, type RunningNode } from './start.ts';
import { READ_TOKEN } from '../shared/docs.ts';

/** Maximum duration of a stop, in addition to DRAIN_S. After it the process exits with 1. */
const STOP_AT_MOST_MS = 30_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

let config: Config | null = null;
try {
  config = readConfig();
  // A release that is older than the database's schema stops gracefully, as after a signal.
  const started = startNode(config, { onTooOld: () => process.kill(process.pid, 'SIGTERM') });
  // Signal handlers are installed before the start ends, so that an early signal also stops the embedded database.
  stopOnSignals(started, config.DRAIN_S * 1000 + STOP_AT_MOST_MS);
  const node = await started;
  if (process.stdout.isTTY || config.isSandbox) console.log(describeStart(config, node));
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

function stopOnSignals(started: Promise<RunningNode>, stopAtMostMs: number): void {
  for (const signal of SIGNALS) process.on(signal, () => stop());
  let signals = 0;
  const stop = () => {
    // The second signal ends the drain delay. The third signal kills the process.
    if (++signals === 2) for (const signal of SIGNALS) process.removeAllListeners(signal);
    setTimeout(() => process.exit(1), stopAtMostMs).unref();
    started
      .then((node) => node.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(explain(error));
          process.exit(1);
        },
      );
  };
}

function describeStart(config: Config, { core }: RunningNode): string {
  const url = core.publicUrl;
  if (!config.isSandbox) return `\n  Balcão answers at ${url}\n  Console: ${url}/console\n`;
  const secret = config.SANDBOX_PASSWORD ? '$SANDBOX_PASSWORD' : 'demo-secret';
  return `
  Balcão sandbox · no real money moves

    Demo shop        ${url}/demo
    Console          ${url}/console
    Test phones      ${url}/sandbox/phone
    All of it        ${url}/sandbox

  A payment from the command line; open its checkoutUrl:

    TOKEN=$(curl -s -u "demo:${secret}" -d grant_type=client_credentials ${url}/oauth/token | ${READ_TOKEN})
    curl -s ${url}/api/payments -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
      -d '{"amount":1500,"currency":"AOA","paymentType":"GPO","reference":"PEDIDO-1"}'
`;
}

/** Explains a start error in a sentence, or returns the stack of an unexpected error. */
function explain(error: unknown): string {
  return explainStart(error, config) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}
