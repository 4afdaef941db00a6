// HTTP of the bench: cheap keep-alive connections, because the client shares its processor cores with the server.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

export type Reply = { status: number; body: string };
export type Connections = {
  /** Sends a request. @throws when the response has another status */
  send(request: string, status: number): Promise<Reply>;
  close(): void;
};

/** Opens `count` connections, each for one request at a time. */
export async function openConnections(url: string, count: number): Promise<Connections> {
  const idle = await Promise.all(Array.from({ length: count }, () => openConnection(url)));
  const waiting: ((connection: Connection) => void)[] = [];
  const lend = async (): Promise<Connection> => {
    const connection = idle.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
    if (connection.isFresh()) return connection;
    connection.close();
    return openConnection(url);
  };
  return {
    async send(request, status) {
      const connection = await lend();
      const reply = await connection.send(request);
      const next = waiting.shift();
      if (next) next(connection);
      else idle.push(connection);
      if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${reply.body}`);
      return reply;
    },
    close: () => idle.forEach((connection) => connection.close()),
  };
}

type Connection = { send(request: string): Promise<Reply>; isFresh(): boolean; close(): void };

/** A connection that was idle for longer is not reused, because the server may close it during the next request. */
const FRESH_MS = 1_000;

async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  let received = '';
  let usedAt = performance.now();
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | null = null;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    const head = received.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = Number(/^content-length: (\d+)/im.exec(received.slice(0, head))?.[1]);
    if (received.length < head + 4 + length) return;
    const reply = { status: Number(received.slice(9, 12)), body: received.slice(head + 4) };
    received = '';
    waiting?.resolve(reply);
    waiting = null;
    usedAt = performance.now();
  });
  const fail = () => waiting?.reject(new Error('the connection was closed'));
  socket.on('error', fail);
  socket.on('close', fail);
  return {
    send(request) {
      socket.write(request);
      return new Promise((resolve, reject) => (waiting = { resolve, reject }));
    },
    isFresh: () => socket.readyState === 'open' && performance.now() - usedAt < FRESH_MS,
    close: () => socket.destroy(),
  };
}

/** Writes the bytes of an HTTP request with a JSON body. */
export function writeHttp(method: string, url: URL, headers: Record<string, string>, body = ''): string {
  const all: Record<string, string> = {
    Host: url.host,
    ...headers,
    ...(body && { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/** Starts to listen on a free port of this machine and returns the URL. */
export async function listenLocally(server: Server): Promise<string> {
  server.keepAliveTimeout = 75_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
