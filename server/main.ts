// npm start: one node with the configuration of its environment, stopped in order by SIGTERM or Ctrl-C.
// The default import: an older Node has no flushCompileCache, and must come as far as the sentence of compiled.js.
import module from 'node:module';
import type { Config } from './config.ts';
import type { RunningNode } from './start.ts';

// Before the rest is loaded, or it would be compiled anew.
await import('./compiled.js');
const { readConfig } = await import('./config.ts');
const { explainStart } = await import('./explain.ts');
const { startNode } = await import('./start.ts');

/** However badly things hang, a stop ends: so long after what DRAIN_S gives to balancers. */
const STOP_AT_MOST_MS = 30_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

let config: Config | null = null;
try {
  config = readConfig();
  // As when it is told to end: what it was asked is answered first.
  const started = startNode(config, { onTooOld: () => process.kill(process.pid, 'SIGTERM') });
  // Before it is up: a stop that comes early waits for the start, or its database would be left behind.
  stopOnSignals(started, config.DRAIN_S * 1000 + STOP_AT_MOST_MS);
  const node = await started;
  if (process.stdout.isTTY || config.isSandbox) console.log(describeStart(config, node));
  // Now and not at the end: a process that is killed writes nothing.
  module.flushCompileCache();
  // What a start leaves behind is a tenth of the memory, which V8 would keep until it is short of it.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
} catch (error) {
  console.error(explain(error));
  process.exit(1);
}

function stopOnSignals(started: Promise<RunningNode>, stopAtMostMs: number): void {
  for (const signal of SIGNALS) process.on(signal, () => stop());
  let asked = 0;
  const stop = () => {
    // The second does not wait for balancers any more; the third ends it as signals do.
    if (++asked === 2) for (const signal of SIGNALS) process.removeAllListeners(signal);
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
  if (!config.isSandbox) return `\n  Balcão answers at ${url}\n`;
  const secret = config.SANDBOX_PASSWORD ? '$SANDBOX_PASSWORD' : 'demo-secret';
  return `
  Balcão sandbox · no real money moves

    Demo shop        ${url}/demo
    Console          ${url}/console
    Test phones      ${url}/sandbox/phone
    All of it        ${url}/sandbox

  A payment from the command line; open its checkoutUrl:

    TOKEN=$(curl -s -u "demo:${secret}" -d grant_type=client_credentials ${url}/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
    curl -s ${url}/api/payments -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
      -d '{"amount":1500,"currency":"AOA","paymentType":"GPO","reference":"PEDIDO-1"}'
`;
}

/** Falls back to the stack for an unexpected error. */
function explain(error: unknown): string {
  return explainStart(error, config) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
}
