// The line between payers and nodes as bytes: it leads to one node, then to another, breaks, or goes dead without a word.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Front = {
  url: string;
  /** Connections from now on lead to this node. */
  leadTo(url: string): void;
  /** Breaks every connection there is. */
  cut(): void;
  /** What is open now stays open and carries nothing any more, as after a change of network; the next connections work. */
  deafen(): void;
  close(): Promise<void>;
};

/** Listens on a port of its own. */
export async function openFront(first: string): Promise<Front> {
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
    leadTo: (url) => void (target = new URL(url)),
    cut,
    deafen() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        // Not even its end is passed on; what the payer sends is read, and dropped: it seems to be on its way.
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
