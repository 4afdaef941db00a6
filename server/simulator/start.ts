// The simulator on a port of its own, its paths under /rail: for a gateway that reaches its rails over the network.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSimulator, type SimulatorOptions } from './simulator.ts';

const PREFIX = '/rail';

export type LoneSimulator = { url: string; stop(): Promise<void> };

/** Listens, then goes on with what was left undone; `url` is what `GPO_URL` is set to. */
export async function startSimulator(
  options: SimulatorOptions & { host: string; port: number },
): Promise<LoneSimulator> {
  const simulator = createSimulator(options);
  const answer = simulator.callback();
  const server = createServer((req, res) => {
    if (!req.url?.startsWith(`${PREFIX}/`)) return void res.writeHead(404).end();
    req.url = req.url.slice(PREFIX.length);
    answer(req, res);
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  await simulator.start();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}${PREFIX}`,
    async stop() {
      server.close();
      await simulator.stop();
      server.closeAllConnections();
    },
  };
}
