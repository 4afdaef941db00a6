// A TCP proxy between payers and nodes. A test can route it to another node, cut it or silence it.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type TcpProxy = {
  url: string;
  /** New connections lead to this node. */
  routeTo(url: string): void;
  /** Cuts all connections. */
  cut(): void;
  /** Open connections stay open and carry no more bytes, as after a change of network. New connections work. */
  silence(): void;
  close(): Promise<void>;
};

/** Listens on a free port. */
export async function openTcpProxy(first: string): Promise<TcpProxy> {
  let target = new URL(first);
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.once('close', () => {
        pairs.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  const cut = () => pairs.forEach(([near]) => near.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    routeTo: (url) => void (target = new URL(url)),
    cut,
    silence() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        // The payer's socket stays open: bytes that it sends are read and dropped.
        far.removeAllListeners('close').destroy();
        near.resume();
      }
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
