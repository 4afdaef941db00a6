// The event feed and its stream; notifications for people.
import { openStream } from '../../support/stream.ts';
import { webframe } from './payments.ts';
import { recordStream, type Tour } from './recorder.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000099';

export async function walkEvents(tour: Tour): Promise<void> {
  const { call } = tour;
  const first = await call('GET /api/events?limit=5', 200);
  await call(`GET /api/events?limit=5&after=${first.json.next}`, 200);
  await call('GET /api/events?after=x&limit=0', 400);
  await keepStream(tour);
  await walkNotifications(tour);
}

async function keepStream(tour: Tour): Promise<void> {
  const { app, call } = tour;
  const authorization = `Bearer ${await app.token()}`;
  const stream = await openStream(`${app.url}/api/events/stream?after=now`, { authorization });
  const { json } = await call('POST /api/payments', 201, { body: webframe('STREAM-1') });
  await stream.untilEvent(({ data }) => data?.paymentId === json.id, 'the stream telling of it');
  stream.close();
  recordStream(tour, '/api/events/stream', stream, 'message');
  await call('GET /api/events/stream', 401, { token: null });
  await call('GET /api/events/stream?after=x', 400);
  await call('HEAD /api/events/stream', 405);
}

async function walkNotifications(tour: Tour): Promise<void> {
  const { call } = tour;
  const path = '/v1/notificacoes';
  const { json } = await call(`GET ${path}?pageSize=50`, 200);
  await call(`GET ${path}?pageSize=50`, 200, { headers: { 'accept-language': 'en' } });
  await call(`GET ${path}?pageSize=2`, 200, { headers: { 'accept-language': 'fr' } });
  const [newest] = json.data;
  await call(`PUT ${path}/${newest.id}`, 204, { body: { estado: 1 } });
  await call(`PUT ${path}/${newest.id}`, 400, { body: { estado: 2 } });
  await call(`PUT ${path}/${UNKNOWN}`, 404, { body: { estado: 1 } });
  await call(`GET ${path}?estado=1`, 200);
  await call(`PUT ${path}`, 204, { body: { estado: 1, ate: newest.id } });
  await call(`PUT ${path}`, 400, { body: { estado: 0 } });
  await call(`PUT ${path}`, 404, { body: { estado: 1, ate: UNKNOWN } });
  await call(`GET ${path}?estado=3&page=x`, 400);
}
