// One connection, one answer at a time: who sends requests ahead and reads nothing has one answer made, not all of them.
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Nobody sends so many ahead: browsers and proxies none. */
const MOST_WAITING = 256;

/** What waits on a connection, and the answer that it waits for at last. */
type Line = { waiting: number; last: ServerResponse };

/** Lets a request begin when the answer before it on its connection is with the caller's system. */
export function inTurn(answer: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (req, res) => {
    const { socket } = req;
    const line = lines.get(socket);
    const before = line?.last;
    if (!line || !before || before.closed) {
      lines.set(socket, { waiting: 0, last: res });
      return answer(req, res);
    }
    line.last = res;
    if (++line.waiting > MOST_WAITING) return socket.destroy();
    before.once('close', () => {
      line.waiting--;
      if (!socket.destroyed) answer(req, res);
    });
  };
}
