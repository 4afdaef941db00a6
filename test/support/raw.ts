// HTTP as bytes on a socket, for requests that no client library would send.
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

export type RawReply = { status: number; headers: Map<string, string>; body: string; text: string };

/** Sends one request with `Connection: close`, and reads until the server closes or `hangUp` is aborted. */
export async function sendRaw(
  base: string,
  requestLine: string,
  headers: string[] = [],
  body: string | Buffer = '',
  hangUp?: AbortSignal,
): Promise<RawReply> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A server may close the connection after a refusal, so the test ignores the error and reads the response.
  socket.on('error', () => {});
  hangUp?.addEventListener('abort', () => socket.destroy());
  const head = [`${requestLine} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers].join('\r\n');
  socket.write(`${head}\r\n\r\n`);
  socket.write(body);
  await once(socket, 'close');
  return readRaw(Buffer.concat(chunks).toString('utf8'));
}

function readRaw(text: string): RawReply {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(headers),
    body: rest.join('\r\n\r\n'),
    text,
  };
}

/** Sends a GET and does not decompress the response. */
export async function fetchBytes(
  url: string,
  headers: Record<string, string>,
): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  const outgoing = request(url, { headers, agent: false });
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { headers: answer.headers, body: Buffer.concat(await answer.toArray()) };
}
