// The simulator on its own port, under /rail, for a gateway that reaches its rails over the network.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isLoopbackName } from '../../server/config.ts';
import { MAX_HEADER_BYTES } from '../../server/http/body.ts';
import { createSimulator, type SimulatorOptions } from './simulator.ts';

const PREFIX = '/rail';

export type StandaloneSimulator = { url: string; stop(): Promise<void> };

/** Starts to listen, then continues unfinished work. `url` is the value for `GPO_URL`. */
export async function startSimulator(
  options: SimulatorOptions & { host: string; port: number },
): Promise<StandaloneSimulator> {
  const simulator = await createSimulator(options);
  const answer = simulator.callback();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (req, res) => {
    if (!req.url?.startsWith(`${PREFIX}/`)) return void res.writeHead(404).end();
    if (!req.url.startsWith(`${PREFIX}/v1/`) && isForeign(req)) return void res.writeHead(403).end();
    req.url = req.url.slice(PREFIX.length);
    answer(req, res);
  });
  // Like the gateway, the server keeps idle connections open, so that they do not close during their next use.
  server.keepAliveTimeout = 75_000;
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

/** True for a request that another website may have caused. The unsigned routes serve only this machine. */
function isForeign({ headers }: IncomingMessage): boolean {
  const host = headers.host?.replace(/:\d+$/, '') ?? '';
  const site = headers['sec-fetch-site'] ?? 'none';
  return !isLoopbackName(host) || !['same-origin', 'none'].includes(String(site)) || headers.origin !== undefined;
}
