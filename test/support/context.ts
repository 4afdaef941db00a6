// Makes a Koa context without a server, for code that reads headers, IP addresses or the path.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa, { type Context } from 'koa';
import { parseExactJson } from '../../server/http/json.ts';
import { listNetworks } from '../../server/http/client/public-address.ts';

export type RequestShape = {
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  /** The body in the form in which http/body stores it. */
  rawBody?: string;
  /** The IP address from which the connection comes. */
  peer?: string;
  trustedProxies?: string[];
};

export function makeContext(shape: RequestShape = {}): Context {
  const { method = 'GET', url = '/', headers = {}, rawBody, peer = '127.0.0.1', trustedProxies = [] } = shape;
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: peer });
  const request = Object.assign(new IncomingMessage(socket), { method, url });
  for (const [name, value] of Object.entries(headers)) request.headers[name.toLowerCase()] = value;
  const koa = new Koa();
  koa.context['trustedProxies'] = listNetworks(trustedProxies);
  const ctx = koa.createContext(request, new ServerResponse(request)) as Context;
  if (rawBody !== undefined) Object.assign(ctx.state, { rawBody: Buffer.from(rawBody), json: jsonOf(rawBody) });
  return ctx;
}

/** The parsed JSON body. Undefined if the body is not JSON. */
function jsonOf(body: string): unknown {
  try {
    return parseExactJson(body.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
