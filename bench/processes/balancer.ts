// A balancer of connections (layer 4): each new one goes to the next target that was ready when last asked, or where it is pointed.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../child.ts';

const LOOK_EACH_MS = 1_000;

let ready: number[] = [];
let turn = 0;
const open = new Map<Socket, number>();

serveParent({
  /** @param path what each target is asked every second; absent: all are always ready */
  async listen({ port, targets, path }: { port: number; targets: number[]; path?: string }): Promise<number> {
    ready = targets;
    if (path) void lookOn(targets, path);
    const server = createServer(forward).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  },
  /** From now on to these alone; connections with others are cut. None: nobody is let in. */
  point({ targets }: { targets: number[] }): void {
    ready = targets;
    for (const [socket, target] of open) if (!targets.includes(target)) socket.destroy();
  },
});

async function lookOn(targets: number[], path: string): Promise<void> {
  for (;;) {
    const looks = targets.map((port) => isReady(`http://127.0.0.1:${port}${path}`));
    const states = await Promise.all(looks);
    ready = targets.filter((_, nth) => states[nth]);
    await pause(LOOK_EACH_MS);
  }
}

function isReady(url: string): Promise<boolean> {
  const request = fetch(url, { signal: AbortSignal.timeout(LOOK_EACH_MS), headers: { connection: 'close' } });
  return request.then(
    ({ ok }) => ok,
    () => false,
  );
}

function forward(caller: Socket): void {
  const target = ready[turn++ % ready.length];
  if (target === undefined) return void caller.destroy();
  const behind = connect({ port: target, host: '127.0.0.1', noDelay: true });
  caller.setNoDelay(true);
  open.set(caller, target);
  const end = () => {
    open.delete(caller);
    caller.destroy();
    behind.destroy();
  };
  for (const socket of [caller, behind]) socket.on('error', end).on('close', end);
  caller.pipe(behind).pipe(caller);
}
